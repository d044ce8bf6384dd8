import { type Actor, isAdministrator } from '../../api/index.ts'
import type { Condition, PredicateUse, Reader } from '../../infra/database/index.ts'
import { ownRoles, role } from '../access/index.ts'
import type { KeyRow } from '../keys/index.ts'
import { isMemberOf, reachesFewProjects } from '../projects/index.ts'
import { allBut, everyProject, noProject, opensAny } from './store.ts'

/**
 * A condition on `projects`: a user is at least Maintainer.
 * @property each the same, for projects that are tested one after another until a page is full
 * @property isMany whether the condition tests projects that are found otherwise, because the user has many roles and projects
 */
export type Maintained = { condition: Condition; each: Condition; isMany: boolean }

/** The projects of which a user is at least Maintainer (contract 1.25). */
export async function maintainedBy(db: Reader, userId: number, today: string): Promise<Maintained> {
  const roles = await ownRoles(db, userId, today)
  const isMany = !roles.loaded && !(await reachesFewProjects(db, roles, role.maintainer, 'deploy_key_projects'))
  const isMaintained = (use: PredicateUse) => isMemberOf(db, roles, role.maintainer, use)
  return { condition: isMaintained(isMany ? 'counts' : 'drives'), each: isMaintained('tests'), isMany }
}

/** The condition of `maintainedBy`, for a caller: administrators count as maintainers of all projects. */
export async function maintainedByCaller(db: Reader, actor: Actor, today: string): Promise<Maintained> {
  if (isAdministrator(actor)) return { condition: everyProject, each: everyProject, isMany: false }
  if (actor.kind === 'user') return maintainedBy(db, actor.userId, today)
  return { condition: noProject, each: noProject, isMany: false }
}

/** Whether the caller may add this key to their projects (contract 1.27, step 2). */
export async function isAccessible(db: Reader, key: KeyRow, actor: Actor, today: string): Promise<boolean> {
  if (key.kind !== 'deploy') return false
  return key.public || opensAny(db, key.id, (await maintainedByCaller(db, actor, today)).condition)
}

/** Whether the caller may change the title, which all projects of the key show (contract 1.28). */
export async function mayRename(db: Reader, key: KeyRow, actor: Actor, today: string): Promise<boolean> {
  if (isAdministrator(actor)) return true
  if (key.public) return false
  const { condition: maintained } = await maintainedByCaller(db, actor, today)
  return !(await opensAny(db, key.id, allBut(maintained)))
}
