import { type Actor, dayOf, forbidden, isAdministrator, recordNotFound } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ownRoles, role, roleInGroup } from '../../access/index.ts'
import { isMemberOf } from '../../projects/index.ts'
import type { RunnerRow } from '../tables.ts'
import { hasProjectOf, runnerById } from './store.ts'

/** Whether the caller administers a runner: maintains one of its projects, or owns its group (contract 04). */
export async function mayManage(
  db: Reader,
  { id, runner_type, namespace_id }: RunnerRow,
  actor: Actor,
  today: string,
): Promise<boolean> {
  if (isAdministrator(actor)) return true
  if (actor.kind !== 'user' || runner_type === 'instance_type') return false
  if (namespace_id !== null) return (await roleInGroup(db, actor.userId, namespace_id, today)) >= role.owner
  const roles = await ownRoles(db, actor.userId, today)
  return hasProjectOf(db, id, isMemberOf(db, roles, role.maintainer, 'tests'))
}

/** A runner that the caller administers. @throws ApiError 404, 403 */
export async function requireManaged({ clock }: Platform, db: Reader, id: number, actor: Actor): Promise<RunnerRow> {
  const row = await runnerById(db, id)
  if (!row) throw recordNotFound()
  if (!(await mayManage(db, row, actor, dayOf(clock.now())))) throw forbidden('No access granted')
  return row
}

/** A runner that the caller may look at: any of the instance, or one that they administer. @throws ApiError 404, 403 */
export async function requireReadable(platform: Platform, id: number, actor: Actor): Promise<RunnerRow> {
  const row = await runnerById(platform.database.read, id)
  if (row?.runner_type === 'instance_type') return row
  return requireManaged(platform, platform.database.read, id, actor)
}
