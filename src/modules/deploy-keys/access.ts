import { type Actor, isAdministrator } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { ownRoles, role } from '../access/index.ts'
import type { KeyRow } from '../keys/index.ts'
import { isMemberOf, type ProjectCondition } from '../projects/index.ts'
import { allBut, everyProject, noProject, opensAny } from './store.ts'

/** The projects in which somebody is Maintainer or above, as a condition on `projects`. */
export async function maintainedBy(db: Reader, userId: number, today: string): Promise<ProjectCondition> {
  return isMemberOf(db, await ownRoles(db, userId, today), role.maintainer)
}

/** As `maintainedBy` for a caller: administrators count as maintainers everywhere. */
export async function maintainedByCaller(db: Reader, actor: Actor, today: string): Promise<ProjectCondition> {
  if (isAdministrator(actor)) return everyProject
  return actor.kind === 'user' ? maintainedBy(db, actor.userId, today) : noProject
}

/** Whether the caller may join this key to a project of theirs (contract 1.27, step 2). */
export async function isAccessible(db: Reader, key: KeyRow, actor: Actor, today: string): Promise<boolean> {
  if (key.kind !== 'deploy') return false
  return key.public || opensAny(db, key.id, await maintainedByCaller(db, actor, today))
}

/** Whether the caller may change what the key is called, everywhere that it is seen (contract 1.28). */
export async function mayRename(db: Reader, key: KeyRow, actor: Actor, today: string): Promise<boolean> {
  if (isAdministrator(actor)) return true
  if (key.public) return false
  const maintained = await maintainedByCaller(db, actor, today)
  return !(await opensAny(db, key.id, allBut(maintained)))
}
