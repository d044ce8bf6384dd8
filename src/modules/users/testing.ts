import { expect } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'

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
