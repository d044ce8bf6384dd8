import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../infra/database/index.ts'
import { freshDatabase } from '../../../testing/database.ts'
import { insertNamespace, type NamespaceRow, type Visibility } from '../../namespaces/index.ts'
import { attributeProblems, takenField } from './validation.ts'

let database: Database & AsyncDisposable
const now = '2026-05-15T10:00:00.000Z'

function make(path: string, parent: NamespaceRow | null, name = path, visibility: Visibility = 'private') {
  return database.write((tx) =>
    insertNamespace(tx, { kind: 'group', name, path, parent, ownerId: null, visibility, now }),
  )
}

let top: NamespaceRow
let child: NamespaceRow
beforeAll(async () => {
  database = await freshDatabase()
  top = await make('top', null)
  child = await make('Child', top, 'First child')
})
afterAll(() => database[Symbol.asyncDispose]())

type Attributes = Parameters<typeof attributeProblems>[1]
type Context = Parameters<typeof attributeProblems>[2]

/** The problems of attributes of a subgroup of `top`, without the attributes that have none. */
async function problemsOf(changes: Partial<Attributes>, context: Partial<Context> = {}) {
  const attributes = { name: 'Other', path: 'other', ...changes }
  const found = await database.write((tx) =>
    attributeProblems(tx, attributes, { parent: top, refused: [], ...context }),
  )
  return Object.fromEntries(Object.entries(found).filter(([, problems]) => problems.length > 0))
}

const taken = ['has already been taken']

describe('the problems of a new group', () => {
  test.each<[Partial<Attributes>, object]>([
    [{}, {}],
    [{ name: 'first CHILD' }, { name: taken }],
    [{ path: 'CHILD' }, { path: taken }],
    [
      { name: 'First child', path: 'child' },
      { name: taken, path: taken },
    ],
    [{ path: 'top' }, {}],
    [{ path: ' ' }, { path: ["can't be blank"] }],
    [{ path: 'x'.repeat(255) }, {}],
    [{ path: 'x'.repeat(256) }, { path: ['is too long (maximum is 255 characters)'] }],
    [{ visibility: 'private' }, {}],
    [
      { visibility: 'internal' },
      { visibility_level: ['internal is not allowed since the parent group has a private visibility.'] },
    ],
  ])('%j: %j', async (attributes, expected) => expect(await problemsOf(attributes)).toEqual(expected))

  test.each([
    ['objects', 'gitlab-lfs', true],
    ['objects', 'info', false],
    ['folders', 'environments', true],
    ['folders', 'other', false],
  ])('the path %s below top/%s is reserved: %s', async (path, above, expected) => {
    const parent = { ...top, full_path: `top/${above}` }
    expect(await problemsOf({ path }, { parent })).toEqual(expected ? { path: [`${path} is a reserved name`] } : {})
  })

  test('count the two parts above a path', async () => {
    const parent = { ...top, full_path: 'top/info/lfs' }
    expect(await problemsOf({ path: 'objects' }, { parent })).toEqual({ path: ['objects is a reserved name'] })
  })
})

describe('the problems of a changed group', () => {
  const change = (changes: Partial<Attributes>, before: Partial<NamespaceRow> = {}, refused: Visibility[] = []) => {
    const row = { ...child, ...before }
    return problemsOf({ name: row.name, path: row.path, ...changes }, { before: row, refused })
  }

  test('are those of the attributes that differ', async () => {
    expect(await change({})).toEqual({})
    expect(await change({}, { name: '<b>', path: '_old' })).toEqual({})
    expect(await change({ visibility: 'public' }, { visibility: 'public' }, ['public'])).toEqual({})
    expect(await change({ visibility: 'private' }, { visibility: 'public' }, ['private'])).toEqual({
      visibility_level: ['private has been restricted by your GitLab administrator'],
    })
  })

  test('do not include its own name and path in another case', async () => {
    expect(await change({ name: 'FIRST CHILD', path: 'CHILD' })).toEqual({})
  })
})

test('a violation says which attribute a concurrent request has taken', async () => {
  const violation = (path: string, name: string) => make(path, top, name).catch((error: unknown) => error)
  expect(takenField(await violation('another', 'first child'))).toEqual({ name: taken })
  expect(takenField(await violation('child', 'Another'))).toEqual({ path: taken })
  expect(takenField(new Error('another'))).toBeNull()
})
