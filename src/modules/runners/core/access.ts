import { type Actor, dayOf, forbidden, isAdministrator, recordNotFound, type UserActor } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ownRoles, role, roleInGroup } from '../../access/index.ts'
import { mayInGroup, withLevel } from '../../groups/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { isMemberOf, may, projectsWithRoles } from '../../projects/index.ts'
import type { RunnerRow } from '../tables.ts'
import { hasProjectOf, projectIdsOf, runnerById } from './store.ts'

/** What a member role may permit with the runners of a group or project (contract 25.10). */
type Use = 'read_runners' | 'admin_runners'

async function ownsGroup(db: Reader, groupId: number, actor: UserActor, today: string, use: Use): Promise<boolean> {
  if ((await roleInGroup(db, actor.userId, groupId, today)) >= role.owner) return true
  const row = await namespaceById(db, groupId)
  return row !== null && mayInGroup(actor, await withLevel(db, row, actor, today), use)
}

async function maintainsProject(db: Reader, id: number, actor: UserActor, today: string, use: Use): Promise<boolean> {
  const roles = await ownRoles(db, actor.userId, today)
  if (await hasProjectOf(db, id, isMemberOf(db, roles, role.maintainer, 'tests'))) return true
  if (!roles.permissions) return false
  const projects = await projectsWithRoles(db, { actor, roles }, await projectIdsOf(db, id))
  return projects.some((project) => may(actor, project, use))
}

/**
 * Whether the caller administers a runner: maintains one of its projects, or owns its group (contract 04), or has a member role that
 * permits it.
 */
export async function mayManage(
  db: Reader,
  { id, runner_type, namespace_id }: RunnerRow,
  actor: Actor,
  today: string,
  use: Use = 'admin_runners',
): Promise<boolean> {
  if (isAdministrator(actor)) return true
  if (actor.kind !== 'user' || runner_type === 'instance_type') return false
  if (namespace_id !== null) return ownsGroup(db, namespace_id, actor, today, use)
  return maintainsProject(db, id, actor, today, use)
}

/** A runner that the caller administers, or reads. @throws ApiError 404, 403 */
export async function requireManaged(
  { clock }: Platform,
  db: Reader,
  id: number,
  actor: Actor,
  use?: Use,
): Promise<RunnerRow> {
  const row = await runnerById(db, id)
  if (!row) throw recordNotFound()
  if (!(await mayManage(db, row, actor, dayOf(clock.now()), use))) throw forbidden('No access granted')
  return row
}

/** A runner that the caller may look at: any of the instance, or one that they administer. @throws ApiError 404, 403 */
export async function requireReadable(platform: Platform, id: number, actor: Actor): Promise<RunnerRow> {
  const row = await runnerById(platform.database.read, id)
  if (row?.runner_type === 'instance_type') return row
  return requireManaged(platform, platform.database.read, id, actor, 'read_runners')
}
