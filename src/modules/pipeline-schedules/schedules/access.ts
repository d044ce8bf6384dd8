import { type Actor, forbidden, invalid, isAdministrator } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { mayReadBuilds, mayRunOn } from '../../pipelines/index.ts'
import type { Project } from '../../projects/index.ts'
import type { ScheduleRow } from '../tables.ts'
import { shortRef } from './refs.ts'

const isOwner = (actor: Actor, { owner_id: owner }: ScheduleRow) => actor.kind === 'user' && actor.userId === owner
const hasRole = (actor: Actor, project: Project, level: number) => isAdministrator(actor) || project.role.level >= level

/** Readers of pipelines, and every signed-in user on a public project (contract 2.11). */
export function mayReadSchedules(actor: Actor, project: Project): boolean {
  return actor.kind === 'user' && (project.visibility === 'public' || mayReadBuilds(actor, project))
}

/** The owner, as long as he is a developer (contract 2.15). @throws ApiError 403 */
export function requireEditor(actor: Actor, project: Project, schedule: ScheduleRow): void {
  if (isAdministrator(actor)) return
  if (!isOwner(actor, schedule) || !hasRole(actor, project, role.developer)) throw forbidden()
}

/** Maintainers and the owner (contract 2.16, 2.17). */
export function mayManage(actor: Actor, project: Project, schedule: ScheduleRow): boolean {
  const level = isOwner(actor, schedule) ? role.developer : role.maintainer
  return hasRole(actor, project, level)
}

/** @throws ApiError 403 */
export function requireManager(actor: Actor, project: Project, schedule: ScheduleRow): void {
  if (!mayManage(actor, project, schedule)) throw forbidden()
}

/** Requires the right to run pipelines on the ref of a schedule. @throws ApiError 400 */
export async function requireRefAccess(
  platform: Platform,
  project: Project,
  actor: Actor,
  ref: string,
  doing: 'create' | 'update',
): Promise<void> {
  if (await mayRunOn(platform, project, actor, shortRef(ref))) return
  throw invalid({ base: [`The current user is not authorized to ${doing} the pipeline schedule`] })
}
