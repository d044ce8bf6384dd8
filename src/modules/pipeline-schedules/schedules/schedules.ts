import {
  type Actor,
  forbidden,
  invalid,
  lengthProblems,
  notFound,
  type PageRequest,
  refuse,
  textProblems,
  type Unmodified,
} from '../../../api/index.ts'
import { acquireLock, claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { forgetSchedule } from '../../pipelines/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import type { Project } from '../../projects/index.ts'
import type { ScheduleRow, ScheduleRowChanges } from '../tables.ts'
import { mayManage, mayReadSchedules, requireEditor, requireManager, requireRefAccess } from './access.ts'
import type { NewSchedule, ScheduleChanges } from './params.ts'
import { presentSchedule, presentSchedules } from './present.ts'
import { expandRef } from './refs.ts'
import * as store from './store.ts'
import { nextRunAt, timeProblems } from './times.ts'

/** A schedule of a project. @throws ApiError 404 */
export async function requireSchedule(db: Reader, project: Project, id: number): Promise<ScheduleRow> {
  const row = await store.scheduleById(db, id)
  if (row?.project_id !== project.id) throw notFound('Pipeline Schedule')
  return row
}

/** A schedule that the caller may read. @throws ApiError 404 */
export async function readableSchedule(platform: Platform, project: Project, actor: Actor, id: number) {
  if (!mayReadSchedules(actor, project)) throw notFound('Pipeline Schedule')
  return requireSchedule(platform.database.read, project, id)
}

const userOf = (actor: Actor) => (actor.kind === 'user' ? actor.userId : null)

/** A page of the schedules of a project (contract 2.11). @throws ApiError 403 */
export async function listSchedules(
  platform: Platform,
  project: Project,
  actor: Actor,
  scope: 'active' | 'inactive' | undefined,
  page: PageRequest,
) {
  if (!mayReadSchedules(actor, project)) throw forbidden()
  const active = scope === undefined ? undefined : scope === 'active'
  const found = await store.pageOfSchedules(platform.database.read, project.id, active, page)
  return { ...found, items: await presentSchedules(platform, found.items) }
}

/** One schedule (contract 2.12). @throws ApiError 404 */
export async function getSchedule(platform: Platform, project: Project, actor: Actor, id: number) {
  const row = await readableSchedule(platform, project, actor, id)
  return presentSchedule(platform, project, row, mayManage(actor, project, row))
}

const longestDescription = 1_048_576
/** The longest name of a branch, with `refs/heads/`. */
const longestRef = 1_035

/** @throws ApiError 400, form C, with all problems together */
function requireValid(given: Pick<ScheduleRow, 'description' | 'ref' | 'cron' | 'cron_timezone'>): void {
  refuse({
    description: textProblems(given.description, longestDescription),
    ref: lengthProblems(given.ref, longestRef),
    ...timeProblems(given.cron, given.cron_timezone),
  })
}

/** @throws ApiError 400 */
async function requireRoom(tx: Tx, project: Project): Promise<void> {
  await acquireLock(tx, `pipeline_schedules:${project.id}`)
  const { ci_pipeline_schedules: limit } = await planLimits(tx)
  if (limit > 0 && (await store.countSchedules(tx, project.id)) >= limit) {
    throw invalid({ base: [`Maximum number of ci pipeline schedules (${limit}) exceeded`] })
  }
}

/** Creates a schedule that the caller owns (contract 2.14). @throws ApiError 400 */
export async function createSchedule(platform: Platform, project: Project, actor: Actor, given: NewSchedule) {
  const { database, clock } = platform
  const { description, active = true } = given
  const cron = given.cron.trim()
  const cron_timezone = given.cron_timezone ?? 'UTC'
  const ref = await expandRef(platform, project, given.ref)
  requireValid({ description, ref, cron, cron_timezone })
  await requireRefAccess(platform, project, actor, ref, 'create')
  const moment = now(clock)
  const row = await database.write(async (tx) => {
    await requireRoom(tx, project)
    return store.insertSchedule(tx, {
      ...{ project_id: project.id, owner_id: userOf(actor), description, ref, cron, cron_timezone, active },
      ...{
        next_run_at: nextRunAt(platform, { cron, cron_timezone }) ?? moment,
        created_at: moment,
        updated_at: moment,
      },
    })
  })
  return presentSchedule(platform, project, row, true)
}

/** Changes a row. @throws ApiError 404 when it was deleted meanwhile */
async function change({ database }: Platform, id: number, changes: ScheduleRowChanges): Promise<ScheduleRow> {
  const row = await database.write((tx) => store.updateSchedule(tx, id, changes))
  if (!row) throw notFound('Pipeline Schedule')
  return row
}

/** Changes a schedule; its next run is computed anew (contract 2.15). @throws ApiError 400, 403, 404 */
export async function updateSchedule(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  given: ScheduleChanges,
) {
  const { clock } = platform
  const row = await requireSchedule(platform.database.read, project, id)
  requireEditor(actor, project, row)
  const ref = given.ref === undefined ? row.ref : await expandRef(platform, project, given.ref)
  const { description = row.description, active = row.active, cron_timezone = row.cron_timezone } = given
  const cron = given.cron?.trim() ?? row.cron
  requireValid({ description, ref, cron, cron_timezone })
  await requireRefAccess(platform, project, actor, ref, 'update')
  const next_run_at = nextRunAt(platform, { cron, cron_timezone }) ?? row.next_run_at
  const changes = { description, ref, cron, cron_timezone, active, next_run_at, updated_at: now(clock) }
  return presentSchedule(platform, project, await change(platform, id, changes), true)
}

/** Makes the caller the owner; also for the owner himself (contract 2.16). @throws ApiError 403, 404 */
export async function takeOwnership(platform: Platform, project: Project, actor: Actor, id: number) {
  const row = await requireSchedule(platform.database.read, project, id)
  requireManager(actor, project, row)
  const changes = { owner_id: userOf(actor), updated_at: now(platform.clock) }
  return presentSchedule(platform, project, await change(platform, id, changes), true)
}

/** Deletes a schedule; its pipelines stay (contract 2.17). @throws ApiError 403, 404; 412 by `unmodified` */
export async function deleteSchedule(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  unmodified: Unmodified,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'pipeline_schedules', () => requireSchedule(tx, project, id))
    requireManager(actor, project, row)
    unmodified(row.updated_at)
    await forgetSchedule(tx, id)
    await store.deleteSchedule(tx, id)
  })
}
