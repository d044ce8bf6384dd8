import { type Actor, isAdministrator } from '../../../api/index.ts'
import { groupPolicy, projectPolicy } from '../../access/index.ts'

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

/**
 * The caller of an operation that changes rules. Those who have its ability by a member role count as of the least level that has it
 * (contract 25.10), which lists of who may unprotect compare.
 */
export function ruleChangerOf(actor: Actor, kind: 'project' | 'group', { level }: { level: number }): Principal {
  const least = (kind === 'project' ? projectPolicy : groupPolicy).admin_protected_branches.role
  return principalOf(actor, { level: Math.max(level, least) })
}
