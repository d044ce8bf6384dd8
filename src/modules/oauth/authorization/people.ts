import { type Actor, forbidden, requireSignedIn, type UserActor } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { sessionById } from '../../sessions/index.ts'

/** When the caller signed in; null for callers without a session. */
export async function signedInAt(db: Reader, actor: Actor): Promise<string | null> {
  if (actor.kind !== 'user' || actor.credential.kind !== 'session' || actor.credential.id === null) return null
  return (await sessionById(db, actor.credential.id))?.created_at ?? null
}

/** The caller, who is a person: a token could otherwise get itself others, with more scopes. @throws ApiError 401, 403 */
export function requirePerson(actor: Actor): UserActor {
  const caller = requireSignedIn(actor)
  if (caller.credential.kind !== 'session') throw forbidden('Applications are authorised in a browser')
  return caller
}
