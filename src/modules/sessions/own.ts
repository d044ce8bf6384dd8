import { type Actor, notFound, type PageRequest, requireSignedIn } from '../../api/index.ts'
import { claim, now } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { presentSession } from './present.ts'
import { deleteSession, pageOfSessions, sessionOfUser } from './store.ts'

/** A page of the sessions of the caller (contract 20, x.session_list). */
export async function listSessions({ database, clock }: Platform, actor: Actor, page: PageRequest) {
  const { userId, credential } = requireSignedIn(actor)
  const currentId = credential.kind === 'session' ? credential.id : null
  const found = await pageOfSessions(database.read, userId, now(clock), page)
  return { ...found, items: found.items.map((row) => presentSession(row, currentId)) }
}

/** Ends a session of the caller (contract 20, x.session_delete). @throws ApiError 404 or 412 */
export async function removeSession(
  { database }: Platform,
  actor: Actor,
  id: number,
  unmodified: (at: string) => void,
): Promise<void> {
  const { userId } = requireSignedIn(actor)
  await database.write(async (tx) => {
    const session = await claim(tx, 'sessions', () => sessionOfUser(tx, userId, id))
    if (!session) throw notFound('Session')
    unmodified(session.last_used_at)
    await deleteSession(tx, session.id)
  })
}
