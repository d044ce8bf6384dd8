import { type Actor, type UserActor, unauthorized } from '../../api/index.ts'

/** The caller of an operation that is closed to anonymous users. */
export function callerOf(actor: Actor): UserActor {
  if (actor.kind !== 'user') throw unauthorized()
  return actor
}
