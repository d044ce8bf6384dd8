import { Unleash } from 'unleash-client'
import { expect, test } from 'vitest'
import { isInRollout } from './rollout.ts'

test('chooses the users that Unleash clients choose', async () => {
  const parameters = { groupId: 'group', percentage: '37' }
  const flag = {
    name: 'flag',
    enabled: true,
    strategies: [{ name: 'gradualRolloutUserId', parameters, constraints: [] }],
  }
  const client = new Unleash({
    ...{
      url: 'http://127.0.0.1:1',
      appName: 'a',
      refreshInterval: 0,
      disableMetrics: true,
      skipInstanceCountWarning: true,
    },
    bootstrap: { data: [flag] as never },
    storageProvider: { set: async () => {}, get: async () => undefined } as never,
  })
  client.on('error', () => {})
  await new Promise((resolve) => client.once('ready', resolve))
  const users = Array.from({ length: 1_000 }, (_, index) => `user-${index.toString(36)}`)
  const chosen = users.filter((user) => isInRollout('group', user, 37))
  expect(chosen).toEqual(users.filter((userId) => client.isEnabled('flag', { userId })))
  expect(chosen.length).toBeGreaterThan(300)
  client.destroy()
})
