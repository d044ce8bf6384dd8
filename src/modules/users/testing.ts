import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { type Client, startTestServer, type TestServer } from '../../testing/index.ts'

/** A server with a manual clock and two users. */
export async function startWithAliceAndBob() {
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  const server = await startTestServer({ clock })
  return { server, clock, alice: await server.user('alice'), bob: await server.user('bob') }
}

/** Members of a user that are public. */
export const basicMembers = 'id username public_email name state locked avatar_url web_url'

export const usernamesOf = ({ body }: { body: { username: string }[] }) => body.map(({ username }) => username)

/** Changes a user as root. */
export async function changeUser(server: TestServer, id: number, input: Record<string, unknown>): Promise<void> {
  expect((await server.root.put(`/users/${id}`, input)).status).toBe(200)
}

/** The code that an authenticator app shows. @param steps how many steps of 30 seconds the app is ahead */
export function codeOf(server: TestServer, secret: string, steps = 0): string {
  const timestamp = server.app.platform.clock.now().getTime() + steps * 30_000
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
}

/** Enables two-factor authentication of a user. @returns the secret, and the recovery codes */
export async function enableTwoFactor(
  server: TestServer,
  user: Client,
  password?: string,
): Promise<{ secret: string; codes: string[] }> {
  const { secret } = (await user.post('/user/two_factor', { password })).body
  const { body } = await user.put('/user/two_factor', { code: codeOf(server, secret) })
  return { secret, codes: body.recovery_codes }
}
