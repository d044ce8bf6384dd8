import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { userById } from '../../users/index.ts'
import { signIdToken } from './id-token.ts'
import { rotateOpenidKeys } from './signing-keys.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
const dayMs = 86_400_000
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())
beforeEach(() => server.app.platform.database.write((tx) => tx.deleteFrom('oauth_signing_keys').execute()))

const rotate = () => rotateOpenidKeys.run(server.app.platform, null, {} as never)
const published = async () => (await server.anonymous.get('root:/oauth/discovery/keys')).body
const kids = async () => (await published()).keys.map(({ kid }: { kid: string }) => kid)

async function signed(): Promise<string> {
  const { platform } = server.app
  const user = await userById(platform.database.read, 1)
  if (!user) throw new Error('no user')
  const code = { scopes: ['openid'], nonce: null, authenticated_at: clock.now().toISOString() }
  return signIdToken(platform, { user, code, audience: 'app' })
}

/** The key of a token that the published keys verify. */
async function verified(token: string): Promise<string | undefined> {
  const { protectedHeader } = await jwtVerify(token, createLocalJWKSet(await published()), { currentDate: clock.now() })
  return protectedHeader.kid
}

test('no key is made before one is needed', async () => {
  await rotate()
  expect(await server.app.platform.database.read.selectFrom('oauth_signing_keys').selectAll().execute()).toEqual([])
})

test('a key is replaced after 90 days, and published until what it has signed has expired', async () => {
  const [first] = await kids()
  clock.advance(90 * dayMs - 1)
  await rotate()
  expect(await kids()).toEqual([first])
  const before = await signed()
  clock.advance(1)
  await Promise.all([rotate(), rotate()])
  const [second, ...others] = await kids()
  expect([others, second === first]).toEqual([[first], false])
  expect([await verified(before), await verified(await signed())]).toEqual([first, second])
  clock.advance(dayMs)
  await rotate()
  expect(await kids(), 'not longer than a day ago').toEqual([second, first])
  clock.advance(1)
  await rotate()
  expect(await kids()).toEqual([second])
  expect(await verified(await signed())).toBe(second)
})
