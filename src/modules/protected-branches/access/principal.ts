import { type Actor, isAdministrator } from '../../../api/index.ts'

/** The user or deploy key whose access to a branch or tag is checked. */
export type Principal = {
  /** Null for an anonymous caller. */
  userId: number | null
  /** The role in the project or group. */
  level: number
  administrator: boolean
  /** Set when a deploy key pushes: the rights of its owner then do not count. */
  deployKeyId?: number
}

/** Matches no entry; for questions that do not depend on the caller. */
export const anonymousPrincipal: Principal = { userId: null, level: 0, administrator: false }

/** The caller of the API as a principal. @param role the caller's role in the project or group */
export function principalOf(actor: Actor, { level }: { level: number }): Principal {
  const userId = actor.kind === 'user' ? actor.userId : null
  return { userId, level, administrator: isAdministrator(actor) }
}
