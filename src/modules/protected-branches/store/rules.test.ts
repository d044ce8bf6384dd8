/** Which rules belong to an owner, in which order, and which of several counts. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import * as store from './rules.ts'

let server: TestServer
let owner: Person
let project: ProjectRow
let other: ProjectRow
let group: { id: number }
const ids: Record<string, number> = {}
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  const top = await server.make.group('top', owner)
  const below = await server.make.group('below', owner, { parent: top })
  group = top
  project = await server.make.project('ruled', owner, { namespace: below })
  other = await server.make.project('other', owner, { namespace: below })
  const places = { project: `projects/${project.id}`, other: `projects/${other.id}`, group: `groups/${top.id}` }
  for (const [place, name] of [
    ['project', 'main'],
    ['project', 'Release/*'],
    ['group', 'main'],
    ['group', 'alone'],
    ['project', 'a'],
    ['other', 'main'],
    ['other', 'a'],
  ] as const) {
    const { status, body } = await owner.post(`/${places[place]}/protected_branches`, { name })
    expect(status).toBe(201)
    ids[`${place} ${name}`] = body.id
  }
})
afterAll(() => server.stop())

const read = () => server.app.platform.database.read
const write: TestServer['app']['platform']['database']['write'] = (work) => server.app.platform.database.write(work)
const ofProject = () => store.ruleOwnerOf(project)
const ofGroup = () => ({ kind: 'group', id: group.id, namespaceId: group.id }) as const
/** What the rules are called above. */
const called = (rows: readonly { id: number }[]) =>
  rows.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id))

test('rules of the project and of its top-level group are listed by name, then by id', async () => {
  const all = ['project Release/*', 'project a', 'group alone', 'project main', 'group main']
  expect(called(await store.rulesFor(read(), ofProject()))).toEqual(all)
  expect(called(await store.rulesFor(read(), ofGroup()))).toEqual(['group alone', 'group main'])
  const page = (search?: string, offset = 0, limit = 9) =>
    store.pageOfRules(read(), ofProject(), search, { kind: 'offset', page: 1, offset, limit } as never)
  expect(called((await page()).items)).toEqual(all)
  expect(called((await page('A')).items)).toEqual(all)
  expect(called((await page('EASE')).items)).toEqual(['project Release/*'])
  expect(called((await page('', 1, 2)).items)).toEqual(['project a', 'group alone'])
})

test('rules that may match branches are those of their names and those with a wildcard', async () => {
  const found = async (...names: string[]) => called(await store.rulesFor(read(), ofProject(), names))
  expect(await found('main', 'main')).toEqual(['project Release/*', 'project main', 'group main'])
  expect(await found('nothing')).toEqual(['project Release/*'])
  expect(await found()).toEqual(['project Release/*'])
})

test('the rule of the project comes before that of its group', async () => {
  const named = async (owner: store.RuleOwner, name: string) => {
    const row = await store.ruleNamed(read(), owner, name)
    const held = await write((tx) => store.lockRule(tx, owner, name))
    expect(held?.id).toBe(row?.id)
    return row && called([row])[0]
  }
  expect(await named(ofProject(), 'main')).toBe('project main')
  expect(await named(ofProject(), 'alone')).toBe('group alone')
  expect(await named(ofGroup(), 'main')).toBe('group main')
  expect(await named(ofProject(), 'Main')).toBeNull()
})

test('rules are counted without inherited ones', async () => {
  expect(await store.countRules(read(), ofProject())).toBe(3)
  expect(await store.countRules(read(), ofGroup())).toBe(2)
})

test('a rule is inserted once, and rules are found by their ids', async () => {
  const at = server.app.platform.clock.now().toISOString()
  const row = { project_id: other.id, namespace_id: null, created_at: at, updated_at: at }
  const insert = (name: string) => write((tx) => store.insertRuleUnlessThere(tx, { ...row, name }))
  const id = (await insert('fresh')) ?? 0
  expect(id).toBeGreaterThan(0)
  expect(await insert('fresh')).toBeNull()
  expect([...(await store.rulesByIds(read(), [id, id + 1000])).keys()]).toEqual([id])
  expect(await store.rulesByIds(read(), [])).toEqual(new Map())
  await write((tx) => store.deleteRule(tx, id))
})

test('only rules of the project itself are held by their ids', async () => {
  const wanted = ['project main', 'project a', 'group main', 'other main'].map((name) => ids[name] ?? 0)
  const held = await write((tx) => store.holdRulesOf(tx, project.id, wanted))
  expect(called(held.map((id) => ({ id })))).toEqual(['project main', 'project a'])
  expect(await write((tx) => store.holdRulesOf(tx, project.id, []))).toEqual([])
})
