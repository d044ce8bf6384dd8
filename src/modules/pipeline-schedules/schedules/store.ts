import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import type { ExportedLines } from '../../../platform/index.ts'
import { pipelineSchedules, type ScheduleRow } from '../tables.ts'

export const {
  byId: scheduleById,
  insert: insertSchedule,
  update: updateSchedule,
  remove: deleteSchedule,
} = rows(pipelineSchedules)

/** A page of the schedules of a project, the newest first. */
export async function pageOfSchedules(
  db: Reader,
  projectId: number,
  active: boolean | undefined,
  page: PageRequest,
): Promise<Page<ScheduleRow>> {
  const query = db.selectFrom('pipeline_schedules').selectAll().where('project_id', '=', projectId)
  const chosen = active === undefined ? query : query.where('active', '=', active)
  return pageOfRows(db, chosen.orderBy('id', 'desc'), page)
}

export async function countSchedules(db: Reader, projectId: number): Promise<number> {
  const count = db.selectFrom('pipeline_schedules').select((eb) => eb.fn.countAll<number>().as('count'))
  return Number((await count.where('project_id', '=', projectId).executeTakeFirstOrThrow()).count)
}

/** Switches off all schedules of an owner. */
export async function deactivateSchedulesOf(tx: Tx, ownerId: number, moment: string): Promise<void> {
  const query = tx.updateTable('pipeline_schedules').set({ active: false, updated_at: moment })
  await query.where('owner_id', '=', ownerId).where('active', '=', true).execute()
}

/** Switches off these schedules. */
export async function deactivateSchedules(tx: Tx, ids: readonly number[], moment: string): Promise<void> {
  const query = tx.updateTable('pipeline_schedules').set({ active: false, updated_at: moment })
  await query.where(within(tx, 'id', ids)).execute()
}

/** As a condition: whether schedules are due. */
export const anyScheduleIsDue = (moment: string) =>
  sql<boolean>`exists (select 1 from pipeline_schedules where active = true and next_run_at <= ${moment})`

/** The active schedules that are due, the oldest first. @param after the last one of those before */
export async function dueSchedules(
  db: Reader,
  moment: string,
  { after, limit }: { after: Pick<ScheduleRow, 'id' | 'next_run_at'> | undefined; limit: number },
): Promise<ScheduleRow[]> {
  const due = db
    .selectFrom('pipeline_schedules')
    .selectAll()
    .where('active', '=', true)
    .where('next_run_at', '<=', moment)
  const further = after ? due.where(sql<boolean>`(next_run_at, id) > (${after.next_run_at}, ${after.id})`) : due
  return further.orderBy('next_run_at').orderBy('id').limit(limit).execute()
}

/**
 * Moves the next run of those of these schedules that are still due.
 * @returns their ids; another process may have moved the others
 */
export async function claimSchedules(tx: Tx, ids: readonly number[], due: string, next: string): Promise<number[]> {
  const query = tx
    .updateTable('pipeline_schedules')
    .set({ next_run_at: next })
    .where(within(tx, 'id', ids))
  const claimed = query.where('next_run_at', '<=', due).where('active', '=', true).returning('id')
  return (await claimed.execute()).map(({ id }) => id)
}

/** The expressions and time zones of active schedules, each once. */
export function activeTimes(db: Reader): Promise<Pick<ScheduleRow, 'cron' | 'cron_timezone'>[]> {
  const query = db.selectFrom('pipeline_schedules').select(['cron', 'cron_timezone']).where('active', '=', true)
  return query.distinct().execute()
}

/** Puts the next run of active schedules with this expression and time zone back that is later than `next`. */
export async function recallSchedules(
  tx: Tx,
  { cron, cron_timezone }: Pick<ScheduleRow, 'cron' | 'cron_timezone'>,
  next: string,
): Promise<void> {
  const query = tx.updateTable('pipeline_schedules').set({ next_run_at: next }).where('active', '=', true)
  const alike = query.where('cron', '=', cron).where('cron_timezone', '=', cron_timezone)
  await alike.where('next_run_at', '>', next).execute()
}

/** The pipeline schedules of a project, without their variables (contract 14). */
export const exportedSchedules: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const some of rows(pipelineSchedules).portions(db, { project_id: projectId }, 500)) {
    yield some.map(({ id: _id, ...row }) => row)
  }
}
