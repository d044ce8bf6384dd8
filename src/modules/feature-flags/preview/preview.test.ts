import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { everyone, type ProjectWithFlags, projectWithFlags } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithFlags
let preview: string
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await projectWithFlags(server, people)
  preview = `${place.base}/feature_flags_preview`
})

const scopes = [{ environment_scope: 'production' }]
const rollout = (share: string, stickiness: string) => ({
  ...{ name: 'flexibleRollout', scopes },
  parameters: { groupId: 'default', rollout: share, stickiness },
})

async function seen(query = '') {
  const { status, body } = await people.developer.get(`${preview}?${query}`)
  expect(status).toBe(200)
  return body
}

test('tells for whom flags are on in an environment', async () => {
  const list = await place.list('l', 'c')
  const ofList = { name: 'gitlabUserList', parameters: {}, user_list_id: list.id, scopes }
  await place.flag('some', [{ name: 'userWithId', parameters: { userIds: 'a,b' }, scopes }, ofList])
  await place.flag('all', [everyone('*')])
  await place.flag('off', [everyone('*')], { active: false })
  await place.flag('staging', [everyone('staging')])
  const noUsers = { strategies: [], percentage: 0, users: [], users_count: 0 }
  expect(await seen('environment=production')).toEqual([
    {
      ...{ name: 'some', active: true, strategies: ['userWithId', 'userWithId'], percentage: 0 },
      ...{ users: ['a', 'b', 'c'], users_count: 3, on: null },
    },
    { ...noUsers, name: 'all', active: true, strategies: ['default'], percentage: 100, on: null },
    { ...noUsers, name: 'off', active: false, strategies: ['default'], on: null },
    { ...noUsers, name: 'staging', active: true, on: null },
  ])
  const onFor = async (user: string) =>
    (await seen(`environment=production&user=${user}`)).map(({ on }: { on: unknown }) => on)
  expect(await onFor('c')).toEqual([true, true, false, false])
  expect(await onFor('d')).toEqual([false, true, false, false])
  expect((await seen()).map(({ percentage }: { percentage: number }) => percentage)).toEqual([0, 100, 0, 0])
})

test('says what clients decide by the user, and not what they decide by chance', async () => {
  await place.flag('by-user', [rollout('50', 'userId')])
  await place.flag('by-session', [rollout('50', 'sessionId')])
  await place.flag('for-all', [rollout('100', 'random')])
  await place.flag('for-none', [rollout('0', 'random')])
  const answers = await seen('environment=production&user=u1')
  expect(answers.map(({ on }: { on: unknown }) => on)).toEqual([expect.any(Boolean), null, true, false])
  expect(answers.map(({ percentage }: { percentage: number }) => percentage)).toEqual([50, 50, 100, 0])
})

test('is for developers', async () => {
  const statuses = await Promise.all(
    [people.developer, people.reporter, people.outsider, server.anonymous].map(
      async (who) => (await who.get(preview)).status,
    ),
  )
  expect(statuses).toEqual([200, 403, 404, 401])
  expect((await people.developer.get(`${preview}?user=${'x'.repeat(257)}`)).status).toBe(400)
  expect((await people.developer.get(`${preview}?environment[a]=x`)).status).toBe(400)
})
