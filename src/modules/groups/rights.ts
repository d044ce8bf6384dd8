import { type Actor, isAdministrator } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Visibility } from '../namespaces/index.ts'
import { visibilityLevels } from '../settings/index.ts'
import { userById } from '../users/index.ts'

/** Whether the actor may make groups at the top: the account says so (contract 21, x.groups_create). */
export async function mayCreateTopLevel(db: Reader, actor: Actor): Promise<boolean> {
  if (actor.kind !== 'user') return false
  if (isAdministrator(actor)) return true
  return !actor.bot && ((await userById(db, actor.userId))?.can_create_group ?? false)
}

/** The levels of visibility that the instance keeps for administrators (contract 21 R3). */
export function refusedLevels(actor: Actor, restricted: readonly Visibility[]): Visibility[] {
  return isAdministrator(actor) ? [] : visibilityLevels.filter((level) => restricted.includes(level))
}
