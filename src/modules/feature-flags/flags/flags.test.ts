import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { everyone, type ProjectWithFlags, projectWithFlags } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithFlags
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await projectWithFlags(server, people)
})

const percentage = (value: unknown) => ({
  name: 'gradualRolloutUserId',
  parameters: { groupId: 'a', percentage: value },
})
const flexible = (parameters: object) => ({
  name: 'flexibleRollout',
  parameters: { groupId: 'default', rollout: '50', stickiness: 'default', ...parameters },
})
const withIds = (userIds: unknown) => ({ name: 'userWithId', parameters: { userIds } })

/** What is wrong with a flag, as the API says it. */
async function refusal(body: object) {
  const answer = await people.developer.post(place.flags, { name: 'ok', ...body })
  expect(answer.status).toBe(400)
  return answer.body.message ?? answer.body.error
}

describe('a flag', () => {
  test('is created with strategies and scopes, and read', async () => {
    const strategies = [
      { ...withIds('a,b'), scopes: [{ environment_scope: 'production' }, { environment_scope: '*' }] },
    ]
    const created = await people.developer.post(place.flags, { name: 'new-flag', description: 'd', strategies })
    expect([created.status, created.body]).toEqual([
      201,
      {
        name: 'new-flag',
        description: 'd',
        active: true,
        version: 'new_version_flag',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        scopes: [],
        strategies: [
          {
            id: expect.any(Number),
            name: 'userWithId',
            parameters: { userIds: 'a,b' },
            scopes: [
              { id: expect.any(Number), environment_scope: 'production' },
              { id: expect.any(Number), environment_scope: '*' },
            ],
            user_list: null,
          },
        ],
      },
    ])
    expect((await people.developer.get(`${place.flags}/new-flag`)).body).toEqual(created.body)
  })

  test('takes strategies as JSON text, as forms send them', async () => {
    const body = new URLSearchParams({ name: 'ff', version: 'new_version_flag' })
    body.set(
      'strategies',
      JSON.stringify([{ name: 'default', parameters: '{}', scopes: [{ environment_scope: 'x' }] }]),
    )
    const { status, body: flag } = await people.developer.post(place.flags, body)
    expect([status, flag.strategies.length, flag.strategies[0].parameters]).toEqual([201, 1, {}])
  })

  test('has a name of its own', async () => {
    await place.flag('ff')
    expect(await refusal({ name: 'ff' })).toEqual(['Name has already been taken'])
    const other = await projectWithFlags(server, people)
    await other.flag('ff')
  })

  test.each([
    ['F1', ['Name can contain only']],
    ['', ['Name can contain only', 'Name is too short']],
    ['a', ['Name is too short']],
    ['a-', ['Name can contain only']],
    ['1a', ['Name can contain only']],
    ['a\n', ['Name can contain only']],
    ['ä🦊', ['Name can contain only']],
    ['a'.repeat(64), ['Name is too long (maximum is 63 characters)']],
  ])('is not named %j', async (name, begins) => {
    const message = await refusal({ name })
    expect(message).toHaveLength(begins.length)
    for (const [index, text] of begins.entries()) expect(message[index]).toContain(text)
  })

  test('has other bounds, and all problems are said together', async () => {
    expect(await refusal({ version: 'legacy_flag' })).toBe('Version is invalid')
    expect(await refusal({ name: undefined })).toBe('400 (Bad request) "name" not given')
    const problems = await refusal({
      name: 'A',
      description: 'x'.repeat(256),
      strategies: [{ name: 'x', parameters: {} }],
    })
    expect(problems.slice(1)).toEqual([
      'Name is too short (minimum is 2 characters)',
      'Description is too long (maximum is 255 characters)',
      'Strategies name strategy name is invalid',
    ])
    expect(await refusal({ strategies: Array.from({ length: 51 }, () => everyone('*')) })).toEqual([
      'Strategies are too many (maximum is 50)',
    ])
    const scopes = Array.from({ length: 101 }, (_, index) => `e${index}`)
    expect(await refusal({ strategies: [everyone(...scopes)] })).toEqual([
      'Strategies scopes are too many (maximum is 100)',
    ])
  })

  const ids = 'parameters userIds must be a string of unique comma separated values each 256 characters or less'
  const share = (name: string) => `parameters ${name} must be a string between 0 and 100 inclusive`
  test.each<[object, string]>([
    [{ name: 'default', parameters: { a: 'b' } }, 'parameters parameters are invalid'],
    [{ name: 'gradualRolloutUserId', parameters: { bad: '1' } }, 'parameters parameters are invalid'],
    [percentage('101'), share('percentage')],
    [percentage('050'), share('percentage')],
    [percentage(50), share('percentage')],
    [percentage(['50']), share('percentage')],
    [
      { name: 'gradualRolloutUserId', parameters: { groupId: 'A', percentage: '1' } },
      'parameters groupId parameter is invalid',
    ],
    [flexible({ rollout: '-1' }), share('rollout')],
    [flexible({ stickiness: 'x' }), 'parameters stickiness parameter must be default, userId, sessionId, or random'],
    [withIds('a,,b'), ids],
    [withIds('a, b'), ids],
    [withIds('a,a'), ids],
    [withIds('a\nb'), ids],
    [withIds('x'.repeat(257)), ids],
    [withIds(1), ids],
    [{ name: 'gitlabUserList', parameters: {} }, "user list can't be blank"],
    [{ name: 'toString', parameters: {} }, 'name strategy name is invalid'],
    [{ name: 'userWithId', parameters: { toString: 'a' } }, 'parameters parameters are invalid'],
    [everyone('a', 'a'), 'scopes environment scope has already been taken'],
    [
      everyone('ä'),
      "scopes environment scope can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces",
    ],
    [everyone('x'.repeat(256)), 'scopes environment scope is too long (maximum is 255 characters)'],
  ])('refuses the strategy %j', async (strategy, problem) => {
    expect(await refusal({ strategies: [strategy] })).toEqual([`Strategies ${problem}`])
  })

  test.each<[object, string]>([
    [{ parameters: {} }, 'strategies[0][name] is missing'],
    [{ name: 'default' }, 'strategies[0][parameters] is missing'],
    [{ name: 'default', parameters: '[]' }, 'strategies[0][parameters] is invalid'],
    [{ name: 'default', parameters: [1] }, 'strategies[0][parameters] is invalid'],
    [{ name: 'default', parameters: {}, scopes: [{}] }, 'strategies[0][scopes][0][environment_scope] is missing'],
  ])('needs the parts of a strategy: %j', async (strategy, error) => {
    const { status, body } = await people.developer.post(place.flags, { name: 'ok', strategies: [strategy] })
    expect([status, body.error]).toEqual([400, error])
  })

  test.each([
    ['1', 0],
    ['2', '100'],
  ])('accepts the bounds of shares (%s)', async (_, value) => {
    const strategies = [
      percentage(String(value)),
      flexible({ rollout: String(value), stickiness: 'random' }),
      withIds(''),
    ]
    expect((await people.developer.post(place.flags, { name: 'ok', strategies })).status).toBe(201)
  })

  test('uses lists of its project only', async () => {
    const other = await projectWithFlags(server, people)
    const foreign = await other.list('l', 'a')
    for (const user_list_id of [foreign.id, 999_999_999, -1]) {
      const strategies = [{ name: 'gitlabUserList', parameters: {}, user_list_id }]
      const { status, body } = await people.developer.post(place.flags, { name: 'ok', strategies })
      expect([status, body]).toEqual([404, { message: 'Not Found' }])
    }
    const own = await place.list('l', 'a')
    const strategies = [{ name: 'gitlabUserList', parameters: {}, user_list_id: String(own.id) }]
    const { body } = await people.developer.post(place.flags, { name: 'ok', strategies })
    expect(body.strategies[0].user_list).toEqual({ id: own.id, iid: own.iid, name: 'l', user_xids: 'a' })
  })
})

describe('a change', () => {
  test('renames, and leaves out what is not given', async () => {
    const before = await place.flag('f1', [everyone('*')], { description: 'd' })
    const { status, body } = await people.developer.put(`${place.flags}/f1`, { name: 'f2', version: 'ignored' })
    expect([status, body]).toEqual([200, { ...before, name: 'f2', updated_at: expect.any(String) }])
    expect((await people.developer.get(`${place.flags}/f1`)).status).toBe(404)
    await place.flag('f3')
    const taken = await people.developer.put(`${place.flags}/f2`, { name: 'f3' })
    expect([taken.status, taken.body]).toEqual([400, { message: ['Name has already been taken'] }])
    expect(
      (await people.developer.put(`${place.flags}/f2`, { name: 'f2', description: null })).body.description,
    ).toBeNull()
  })

  test('removes strategies and scopes by `_destroy`, in the object that was read', async () => {
    const flag = await place.flag('ff', [everyone('a', 'b'), withIds('x')])
    const [first, second] = flag.strategies
    first.scopes[0]._destroy = true
    second._destroy = 1
    const { body } = await people.developer.put(`${place.flags}/ff`, flag)
    expect(body.strategies).toEqual([{ ...first, scopes: [first.scopes[1]] }])
  })

  test('changes strategies by id, and adds those without', async () => {
    const flag = await place.flag('ff', [everyone('a'), withIds('x')])
    const [{ id, scopes }] = flag.strategies
    const changes = [
      {
        id,
        name: 'userWithId',
        parameters: { userIds: 'y' },
        scopes: [{ id: scopes[0].id, environment_scope: 'c' }, { environment_scope: 'd' }],
      },
      percentage('5'),
    ]
    const { body } = await people.developer.put(`${place.flags}/ff`, { strategies: changes })
    expect(body.strategies).toMatchObject([
      {
        id,
        name: 'userWithId',
        parameters: { userIds: 'y' },
        scopes: [{ id: scopes[0].id, environment_scope: 'c' }, { environment_scope: 'd' }],
      },
      { id: flag.strategies[1].id, name: 'userWithId' },
      { name: 'gradualRolloutUserId', scopes: [] },
    ])
  })

  test('of the name of a strategy drops its list of users', async () => {
    const list = await place.list('l', 'a')
    const flag = await place.flag('ff', [{ name: 'gitlabUserList', parameters: {}, user_list_id: list.id }])
    const [{ id }] = flag.strategies
    const { body } = await people.developer.put(`${place.flags}/ff`, { strategies: [{ id, name: 'default' }] })
    expect(body.strategies[0]).toMatchObject({ id, name: 'default', user_list: null })
    expect((await people.developer.delete(`${place.lists}/${list.iid}`)).status).toBe(204)
  })

  test('with an id of another flag changes nothing', async () => {
    const flag = await place.flag('ff', [everyone('a'), everyone('b')])
    const other = await place.flag('other', [everyone('a')])
    const [first, second] = flag.strategies
    const wrong = [
      { id: other.strategies[0].id, _destroy: true },
      { id: first.id, scopes: [{ id: second.scopes[0].id, _destroy: true }] },
      { id: 0, name: 'default' },
    ]
    for (const strategy of wrong) {
      const body = { description: 'x', strategies: [{ id: first.id, parameters: {} }, strategy] }
      const answer = await people.developer.put(`${place.flags}/ff`, body)
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Not found' }])
    }
    expect((await people.developer.get(`${place.flags}/ff`)).body).toEqual(flag)
    expect((await people.developer.get(`${place.flags}/other`)).body).toEqual(other)
  })
})

test('flags are listed by name, all or those that are on or off', async () => {
  for (const name of ['cc', 'aa', 'bb']) await place.flag(name, [everyone('*')], { active: name !== 'bb' })
  const namesOf = async (query = '') =>
    (await people.developer.get(`${place.flags}${query}`)).body.map(({ name }: { name: string }) => name)
  expect(await namesOf()).toEqual(['aa', 'bb', 'cc'])
  expect(await namesOf('?scope=enabled')).toEqual(['aa', 'cc'])
  expect(await namesOf('?scope=disabled')).toEqual(['bb'])
  expect(await namesOf('?per_page=1&page=2')).toEqual(['bb'])
  const { status, body } = await people.developer.get(`${place.flags}?scope=x`)
  expect([status, body.error]).toEqual([400, 'scope does not have a valid value'])
})

test('a deleted flag is returned once more', async () => {
  const flag = await place.flag('ff', [everyone('*')])
  const early = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }
  expect((await people.developer.delete(`${place.flags}/ff`, early)).status).toBe(412)
  const { status, body } = await people.developer.delete(`${place.flags}/ff`)
  expect([status, body]).toEqual([200, flag])
  expect((await people.developer.delete(`${place.flags}/ff`)).status).toBe(404)
})

test('a project has at most 200 flags', async () => {
  const { database } = server.app.platform
  const moment = new Date(0).toISOString()
  const row = (index: number) => ({
    ...{ project_id: place.project.id, name: `f${index}`, description: null, active: true },
    ...{ created_at: moment, updated_at: moment },
  })
  await database.write((tx) =>
    tx
      .insertInto('feature_flags')
      .values(Array.from({ length: 199 }, (_, index) => row(index)))
      .execute(),
  )
  await place.flag('last')
  expect(await refusal({})).toEqual(['Maximum number of project feature flags (200) exceeded'])
})

test('what clients read at once is bounded', async () => {
  // 10,000 ids of 256 characters, in a strategy for each copy.
  const ids = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(256, 'x')).join(',')
  const list = await place.list('l', ids)
  const using = { name: 'gitlabUserList', parameters: {}, user_list_id: list.id }
  await place.flag('fits', [using, using, using])
  expect(await refusal({ strategies: [using] })).toEqual([
    'Strategies of the project are too long together (maximum is 8388608 bytes)',
  ])
  expect(await refusal({ strategies: [withIds(`${ids},another`)] })).toEqual([
    `Strategies ${'parameters userIds must be a string of unique comma separated values each 256 characters or less'}`,
  ])
})

test('developers have flags, others do not', async () => {
  await place.flag('ff')
  const refused = { reporter: 403, guest: 403, outsider: 404, anonymous: 401 }
  for (const [name, status] of Object.entries(refused)) {
    const client = name === 'anonymous' ? server.anonymous : people[name as keyof People]
    const answers = [
      await client.get(place.flags),
      await client.get(`${place.flags}/ff`),
      await client.post(place.flags, { name: 'no' }),
      await client.put(`${place.flags}/ff`, { active: false }),
      await client.delete(`${place.flags}/ff`),
    ]
    expect([name, answers.map((answer) => answer.status)]).toEqual([name, answers.map(() => status)])
  }
  for (const name of ['x', 'F', '..%2F..', '%F0%9F%A6%8A', 'a'.repeat(3_000)]) {
    expect((await people.developer.get(`${place.flags}/${name}`)).status).toBe(404)
  }
})

test('the access level of the feature is heeded', async () => {
  await people.owner.put(place.base, { feature_flags_access_level: 'disabled' })
  expect((await people.owner.get(place.flags)).status).toBe(403)
  await people.owner.put(place.base, { feature_flags_access_level: 'private' })
  expect((await people.developer.get(place.flags)).status).toBe(200)
  await people.owner.post(`${place.base}/archive`)
  expect((await people.developer.get(place.flags)).status).toBe(200)
  expect((await people.developer.post(place.flags, { name: 'no' })).status).toBe(403)
})
