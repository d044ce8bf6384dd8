import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
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
  at = await projectWithMembers(server, { people, path: `Demo${count}` })
  path = `/projects/${at.project.id}/registry/protection/repository/rules`
})

const pattern = (rest: string) => `${at.path.toLowerCase()}${rest}`
const rule = (
  rest: string,
  levels: Record<string, string | null> = { minimum_access_level_for_push: 'maintainer' },
) => ({
  repository_path_pattern: pattern(rest),
  ...levels,
})
const create = (body: unknown) => people.maintainer.post(path, body)
const refused = (error: string) => ({ status: 422, body: { message: { error } } })
const sentences = {
  taken: 'Repository path pattern has already been taken',
  elsewhere: "Repository path pattern should start with the project's full path",
  malformed: 'Repository path pattern should be a valid container repository path with optional wildcard characters.',
  empty: 'A rule must have at least a minimum access role for push or delete.',
}

describe('creating a rule', () => {
  test('answers with the rule', async () => {
    const levels = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'admin' }
    const { status, body } = await create(rule('/prod*', levels))
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      project_id: at.project.id,
      repository_path_pattern: pattern('/prod*'),
      ...levels,
    })
    const other = await create(rule('/stage', { minimum_access_level_for_delete: 'owner' }))
    expect(other.body).toMatchObject({ minimum_access_level_for_push: null, minimum_access_level_for_delete: 'owner' })
  })

  test('stores the pattern in lower case', async () => {
    const { body } = await create({ ...rule(''), repository_path_pattern: `${at.path.toUpperCase()}/Web*` })
    expect(body.repository_path_pattern).toBe(pattern('/web*'))
  })

  test.each(['', '*', '/*', '/web', '/web/api', '/a*b/*c', '/a**', '/a.*', '/web-*'])(
    'accepts the pattern %j',
    async (rest) => {
      expect((await create(rule(rest))).body.repository_path_pattern).toBe(pattern(rest))
    },
  )

  test.each([
    '/',
    '/-web',
    '/web-',
    '//web',
    '/web/',
    '/w b',
    '/../x',
    '/we%2fb',
    '/w\u00e9b',
    '/web\n',
    '/we?b',
    '/.*',
    `/${'a'.repeat(255)}`,
  ])('refuses the pattern %j', async (rest) => {
    expect(await create(rule(rest))).toMatchObject(refused(sentences.malformed))
  })

  test('refuses patterns outside the project', async () => {
    for (const given of ['other/project', '*', 'a/*', `x${at.path}`, `${at.project.path}/web`]) {
      const expected = given === '*' ? sentences.malformed : sentences.elsewhere
      const answer = await create({ ...rule(''), repository_path_pattern: given.toLowerCase() })
      expect([given, answer]).toMatchObject([given, refused(expected)])
    }
    const empty = await create({ ...rule(''), repository_path_pattern: '' })
    expect(empty).toMatchObject(refused(sentences.malformed))
  })

  test('refuses a pattern that the project has already, also for two at once', async () => {
    const both = await Promise.all([create(rule('/prod')), create(rule('/prod'))])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
    expect(await create(rule('/PROD'))).toMatchObject(refused(sentences.taken))
    const other = await projectWithMembers(server, { people, path: `other${count}` })
    const elsewhere = `/projects/${other.project.id}/registry/protection/repository/rules`
    const body = { ...rule(''), repository_path_pattern: `${other.path}/prod` }
    expect((await people.maintainer.post(elsewhere, body)).status).toBe(201)
  })

  test('requires the pattern and a level', async () => {
    const levels = 'minimum_access_level_for_push, minimum_access_level_for_delete'
    expect((await create({ minimum_access_level_for_push: 'owner' })).body.error).toBe(
      'repository_path_pattern is missing',
    )
    for (const none of [{}, { minimum_access_level_for_push: null }] as Record<string, null>[]) {
      const { status, body } = await create(rule('/a', none))
      expect([status, body.error]).toEqual([400, `${levels} are missing, at least one parameter must be provided`])
    }
  })

  test.each(['developer', '', 'Maintainer', '40', 40, ['owner'], { a: 1 }])('refuses the level %j', async (level) => {
    for (const name of ['minimum_access_level_for_push', 'minimum_access_level_for_delete']) {
      const { status, body } = await create(rule('/a', { [name]: level as never }))
      expect([status, body.error]).toEqual([
        400,
        expect.stringMatching(`^${name} (does not have a valid value|is invalid)$`),
      ])
    }
    const { body } = await create(rule('/a', { minimum_access_level_for_push: 'developer' }))
    expect(body).toEqual({
      message: { minimum_access_level_for_push: ['does not have a valid value'] },
      error: 'minimum_access_level_for_push does not have a valid value',
    })
  })
})

describe('listing rules', () => {
  test('is by id, in pages, with a constant number of queries', async () => {
    const made = []
    for (const rest of ['/c', '/a', '/b']) made.push((await create(rule(rest))).body)
    const all = await people.maintainer.get(path)
    expect([all.status, all.body]).toEqual([200, made])
    const page = await people.maintainer.get(`${path}?per_page=2&page=2`)
    expect([page.body, page.headers.get('x-total')]).toEqual([[made[2]], '3'])
    const one = await queriesOf(server, () => people.maintainer.get(`${path}?per_page=1`))
    expect(await queriesOf(server, () => people.maintainer.get(path))).toBe(one)
  })

  test('shows patterns under the current path of the project', async () => {
    await create(rule('/prod*'))
    const renamed = `renamed${count}`
    expect((await people.owner.put(`/projects/${at.project.id}`, { path: renamed })).status).toBe(200)
    const { body } = await people.maintainer.get(path)
    expect(body[0].repository_path_pattern).toBe(`${people.owner.username}/${renamed}/prod*`)
  })
})

describe('changing a rule', () => {
  test('changes what is given', async () => {
    const { body: made } = await create(rule('/prod'))
    const one = `${path}/${made.id}`
    const changed = await people.maintainer.patch(one, { minimum_access_level_for_delete: 'owner' })
    expect([changed.status, changed.body]).toEqual([200, { ...made, minimum_access_level_for_delete: 'owner' }])
    const moved = await people.maintainer.patch(one, {
      repository_path_pattern: pattern('/live'),
      minimum_access_level_for_push: '',
    })
    expect(moved.body).toEqual({
      ...made,
      repository_path_pattern: pattern('/live'),
      minimum_access_level_for_push: null,
      minimum_access_level_for_delete: 'owner',
    })
    expect((await people.maintainer.patch(one, {})).body).toEqual(moved.body)
    expect((await people.maintainer.get(path)).body).toEqual([moved.body])
  })

  test('refuses what creating refuses, and a rule without a level', async () => {
    await create(rule('/taken'))
    const { body: made } = await create(rule('/prod'))
    const patch = (body: unknown) => people.maintainer.patch(`${path}/${made.id}`, body)
    expect(await patch({ minimum_access_level_for_push: '' })).toMatchObject(refused(sentences.empty))
    expect(await patch({ repository_path_pattern: pattern('/taken') })).toMatchObject(refused(sentences.taken))
    expect(await patch({ repository_path_pattern: 'other/project' })).toMatchObject(refused(sentences.elsewhere))
    expect(await patch({ repository_path_pattern: pattern('/-') })).toMatchObject(refused(sentences.malformed))
    expect((await patch({ minimum_access_level_for_push: 'guest' })).body.error).toBe(
      'minimum_access_level_for_push does not have a valid value',
    )
    expect((await people.maintainer.get(path)).body[1]).toEqual(made)
  })
})

describe('a rule that does not exist', () => {
  test('is not found, nor is one of another project', async () => {
    const { body: made } = await create(rule('/prod'))
    const other = await projectWithMembers(server, { people, path: `other${count}` })
    const elsewhere = `/projects/${other.project.id}/registry/protection/repository/rules`
    const addresses = [`${elsewhere}/${made.id}`, `${path}/9007199254740993`, `${path}/0`, `${path}/-1`]
    for (const address of addresses) {
      const missing = { status: 404, body: { message: '404 Not found' } }
      expect(await people.maintainer.patch(address, { minimum_access_level_for_push: 'owner' })).toMatchObject(missing)
      expect(await people.maintainer.delete(address)).toMatchObject(missing)
    }
    expect((await people.maintainer.get(path)).body).toEqual([made])
  })
})

describe('deleting a rule', () => {
  test('removes it, once', async () => {
    const { body: made } = await create(rule('/prod'))
    const both = await Promise.all([1, 2].map(() => people.maintainer.delete(`${path}/${made.id}`)))
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404])
    expect((await people.maintainer.get(path)).body).toEqual([])
  })
})

describe('rules of a project whose registry is disabled', () => {
  test('are forbidden, and are there again afterwards', async () => {
    await create(rule('/prod'))
    const set = (level: string) =>
      people.maintainer.put(`/projects/${at.project.id}`, { container_registry_access_level: level })
    await set('disabled')
    expect(await people.owner.get(path)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    await set('enabled')
    expect((await people.owner.get(path)).body).toHaveLength(1)
  })
})
