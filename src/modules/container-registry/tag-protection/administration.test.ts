import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

let at: ProjectWithMembers
let path: string
let count = 0
beforeEach(async () => {
  count += 1
  at = await projectWithMembers(server, { people, path: `demo${count}` })
  path = `/projects/${at.project.id}/registry/protection/tag/rules`
})

const levels = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'owner' }
const rule = (tag_name_pattern: unknown, more: object = {}) => ({ tag_name_pattern, ...levels, ...more })
const create = (body: unknown) => people.maintainer.post(path, body)
const refused = (message: unknown) => ({ status: 422, body: { message } })
const taken = 'Tag name pattern has already been taken'
const empty = 'A rule must have at least a minimum access role for push or delete.'

describe('creating a rule', () => {
  test('answers with the rule, and lists it by id without pages', async () => {
    const { status, body } = await create(rule('^v\\d+'))
    expect([status, body]).toEqual([
      201,
      { id: expect.any(Number), project_id: at.project.id, tag_name_pattern: '^v\\d+', ...levels },
    ])
    const { body: second } = await create(rule('a'))
    const listed = await people.maintainer.get(`${path}?per_page=1`)
    expect([listed.status, listed.body, listed.headers.get('x-total')]).toEqual([200, [body, second], null])
  })

  test('requires all three', async () => {
    for (const name of Object.keys(rule('a'))) {
      const answer = await create({ ...rule('a'), [name]: undefined })
      expect(answer).toMatchObject({ status: 400, body: { error: `${name} is missing` } })
    }
  })

  test.each(['developer', '', 'Maintainer', '40', 40, ['owner'], { a: 1 }])('refuses the level %j', async (level) => {
    for (const name of Object.keys(levels)) {
      const { status, body } = await create(rule('a', { [name]: level }))
      expect([status, body.error]).toEqual([
        400,
        expect.stringMatching(`^${name} (does not have a valid value|is invalid)$`),
      ])
    }
  })

  test.each([
    ['(', 'Tag name pattern not valid RE2 syntax: '],
    ['[', 'Tag name pattern not valid RE2 syntax: '],
    ['(?=a)b', 'Tag name pattern not valid RE2 syntax: '],
    ['(a{100}){100}', 'Tag name pattern not valid RE2 syntax: '],
    ['(((a{30}){30}){30})', 'Tag name pattern not valid RE2 syntax: '],
    ['a'.repeat(101), 'Tag name pattern is too long (maximum is 100 characters)'],
    ['', "Tag name pattern can't be blank"],
    ['  ', "Tag name pattern can't be blank"],
  ])('refuses the pattern %j', async (pattern, sentence) => {
    const { status, body } = await create(rule(pattern))
    expect([status, body.message.slice(0, sentence.length)]).toEqual([422, sentence])
  })

  test('accepts a pattern of 100 characters beyond U+FFFF', async () => {
    const pattern = '😀'.repeat(100)
    expect((await create(rule(pattern))).body.tag_name_pattern).toBe(pattern)
  })

  test('refuses a pattern that the project has already, also for two at once', async () => {
    const both = await Promise.all([create(rule('v')), create(rule('v'))])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
    expect(await create(rule('v'))).toMatchObject(refused(taken))
    const other = await projectWithMembers(server, { people, path: `other${count}` })
    const elsewhere = `/projects/${other.project.id}/registry/protection/tag/rules`
    expect((await people.maintainer.post(elsewhere, rule('v'))).status).toBe(201)
  })

  test('refuses a sixth rule, also of many at once', async () => {
    const answers = await Promise.all(['1', '2', '3', '4', '5', '6', '7'].map((pattern) => create(rule(pattern))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 422, 422])
    expect(await create(rule('8'))).toMatchObject(refused('Maximum number of protection rules have been reached.'))
    expect((await people.maintainer.get(path)).body).toHaveLength(5)
  })
})

describe('changing a rule', () => {
  test('changes what is given; an empty level is unset', async () => {
    const { body: made } = await create(rule('v'))
    const patch = (body: unknown) => people.maintainer.patch(`${path}/${made.id}`, body)
    const changes = { tag_name_pattern: 'w', minimum_access_level_for_push: '' }
    const changed = await patch(changes)
    const expected = { ...made, tag_name_pattern: 'w', minimum_access_level_for_push: null }
    expect([changed.status, changed.body]).toEqual([200, expected])
    expect((await patch({})).body).toEqual(expected)
    expect((await patch({ minimum_access_level_for_delete: 'admin' })).body).toEqual({
      ...expected,
      minimum_access_level_for_delete: 'admin',
    })
  })

  test('refuses what creating refuses, and a rule without a level, in another form', async () => {
    await create(rule('taken'))
    const { body: made } = await create(rule('v'))
    const patch = (body: unknown) => people.maintainer.patch(`${path}/${made.id}`, body)
    expect(await patch({ tag_name_pattern: 'taken' })).toMatchObject(refused({ error: taken }))
    const neither = { minimum_access_level_for_push: '', minimum_access_level_for_delete: '' }
    expect(await patch(neither)).toMatchObject(refused({ error: empty }))
    expect(await patch({ tag_name_pattern: '' })).toMatchObject(refused({ error: "Tag name pattern can't be blank" }))
    const syntax = { error: expect.stringMatching(/^Tag name pattern not valid RE2 syntax: ./) }
    expect(await patch({ tag_name_pattern: '[' })).toMatchObject(refused(syntax))
    expect((await people.maintainer.get(path)).body[1]).toEqual(made)
  })
})

test('a rule is deleted once, and is unknown in other projects', async () => {
  const { body: made } = await create(rule('v'))
  const other = await projectWithMembers(server, { people, path: `other${count}` })
  const elsewhere = `/projects/${other.project.id}/registry/protection/tag/rules/${made.id}`
  const missing = { status: 404, body: { message: '404 Not found' } }
  for (const address of [elsewhere, `${path}/9007199254740993`, `${path}/0`]) {
    expect(await people.maintainer.patch(address, {})).toMatchObject(missing)
    expect(await people.maintainer.delete(address)).toMatchObject(missing)
  }
  const both = await Promise.all([1, 2].map(() => people.maintainer.delete(`${path}/${made.id}`)))
  expect(both.map(({ status }) => status).sort()).toEqual([204, 404])
  expect((await people.maintainer.get(path)).body).toEqual([])
})
