import type { TestServer } from '../../testing/index.ts'
import { beginSession, sessionOf } from './sessions.ts'
import type { SessionRow } from './tables.ts'

export const browser = { ip: '192.0.2.1', userAgent: 'Browser' }

/** Begins a session of a user, as signing in does. */
export async function makeSession(server: TestServer, user: { id: number }): Promise<SessionRow & { token: string }> {
  const { platform } = server.app
  const { token } = await platform.database.write((tx) => beginSession(platform, tx, user.id, browser))
  const found = await sessionOf(platform, token, browser)
  if (!found) throw new Error('no session')
  return { ...found.session, token }
}
