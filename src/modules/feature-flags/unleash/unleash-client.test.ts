import { Unleash } from 'unleash-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { everyone, type ProjectWithFlags, projectWithFlags } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithFlags
const clients: Unleash[] = []
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  place = await projectWithFlags(server, people)
})
afterAll(async () => {
  for (const client of clients) client.destroy()
  await server.stop()
})

/** A client of npm, as applications use it. */
async function start(appName: string) {
  const { api_url: url, instance_id: instanceId } = (await people.developer.get(place.client)).body
  const client = new Unleash({
    ...{ url, appName, instanceId, refreshInterval: 50, metricsInterval: 100, metricsJitter: 0 },
    storageProvider: { set: async () => {}, get: async () => undefined } as never,
  })
  clients.push(client)
  const problems: unknown[] = []
  client.on('error', (error) => problems.push(error))
  client.on('warn', (error) => problems.push(error))
  await new Promise((resolve) => client.once('synchronized', resolve))
  return { client, problems }
}

test('an Unleash client reads flags, registers, sends metrics and sees a change by its next poll', async () => {
  const list = await place.list('testers', 't')
  const inProduction = { scopes: [{ environment_scope: 'production' }] }
  await place.flag('for-some', [
    { name: 'userWithId', parameters: { userIds: 'a,b' }, ...inProduction },
    { name: 'gitlabUserList', parameters: {}, user_list_id: list.id, ...inProduction },
  ])
  await place.flag('for-all', [everyone('*')])
  await place.flag('for-none', [
    { name: 'flexibleRollout', parameters: { groupId: 'x', rollout: '0', stickiness: 'userId' }, ...inProduction },
  ])
  await place.flag('in-staging', [everyone('staging')])
  const { client, problems } = await start('production')
  const isOn = (flag: string, userId: string) => client.isEnabled(flag, { userId })
  expect(['a', 'c', 't'].map((user) => isOn('for-some', user))).toEqual([true, false, true])
  expect([isOn('for-all', 'x'), isOn('for-none', 'a'), isOn('in-staging', 'a')]).toEqual([true, false, false])
  expect(client.getFeatureToggleDefinitions().map(({ name }) => name)).toEqual(['for-some', 'for-all', 'for-none'])

  await people.developer.put(`${place.flags}/for-all`, { active: false })
  await expect.poll(() => isOn('for-all', 'x')).toBe(false)
  await people.developer.put(`${place.lists}/${list.iid}`, { user_xids: 'u' })
  await expect.poll(() => [isOn('for-some', 't'), isOn('for-some', 'u')]).toEqual([false, true])
  await place.flag('new-one', [everyone('production')])
  await expect.poll(() => isOn('new-one', 'x')).toBe(true)
  await expect.poll(async () => (await people.developer.get(place.client)).body.last_used_at).not.toBeNull()
  expect(problems).toEqual([])
})

test('a client of another environment reads its own flags', async () => {
  const { client } = await start('staging')
  expect(client.isEnabled('in-staging')).toBe(true)
  expect(client.getFeatureToggleDefinition('for-some')).toBeUndefined()
})
