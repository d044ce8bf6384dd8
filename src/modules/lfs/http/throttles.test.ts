import { expect, test } from 'vitest'
import {
  authorizationOf,
  developer,
  lfs,
  objectOf,
  projectOfOwner,
  reporter,
  serveForTests,
  server,
} from '../testing.ts'

serveForTests()

const set = async (value: object) => expect((await server.root.put('/application/settings', value)).status).toBe(200)
const locks = 'owner/throttled.git/info/lfs/locks'
const ask = async (login: Parameters<typeof lfs.ask>[0]) => (await lfs.ask(login, locks)).status

/** A period in which no test ends. */
const period = 2_000_000_000

test('requests for large files are limited for each user, by the number of the setting', async () => {
  await projectOfOwner('throttled', 'public')
  await set({
    throttle_authenticated_git_lfs_enabled: true,
    throttle_authenticated_git_lfs_requests_per_period: 2,
    throttle_authenticated_git_lfs_period_in_seconds: period,
  })
  const object = objectOf()
  expect((await lfs.put(developer, 'owner/throttled', object)).status).toBe(200)
  expect((await lfs.batch(developer, 'owner/throttled', 'download', [object])).status).toBe(200)
  const refused = await lfs.get(developer, 'owner/throttled', object)
  expect([refused.status, refused.body]).toEqual([429, { message: 'Retry later' }])
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await ask(reporter)).toBe(200)
  expect(await ask(undefined)).toBe(200)
  expect((await developer.get('/user')).status).toBe(200)
  await set({ throttle_authenticated_git_lfs_requests_per_period: 4 })
  expect(await ask(developer)).toBe(200)
  await set({ throttle_authenticated_git_lfs_enabled: false })
  expect(await ask(developer)).toBe(200)
})

test('requests for large files without credentials have their own limit, else that of git', async () => {
  const own = {
    throttle_unauthenticated_git_lfs_enabled: true,
    throttle_unauthenticated_git_lfs_requests_per_period: 1,
  }
  await set(own)
  expect([await ask(undefined), await ask(undefined)]).toEqual([200, 200])
  await set({
    throttle_unauthenticated_git_lfs_period_in_seconds: period,
    throttle_unauthenticated_git_http_enabled: true,
    throttle_unauthenticated_git_http_requests_per_period: 2,
    throttle_unauthenticated_git_http_period_in_seconds: period,
  })
  expect([await ask(undefined), await ask(undefined)]).toEqual([200, 429])
  expect(await ask(reporter)).toBe(200)
  expect(await ask({ authorization: authorizationOf({ username: 'x', token: 'wrong' }) ?? '' })).toBe(401)
  await set({ throttle_unauthenticated_git_lfs_enabled: false })
  expect([await ask(undefined), await ask(undefined), await ask(undefined)]).toEqual([200, 200, 429])
  await set({ throttle_unauthenticated_git_http_enabled: false })
  expect(await ask(undefined)).toBe(200)
})
