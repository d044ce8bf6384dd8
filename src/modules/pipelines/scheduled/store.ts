import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { PipelineRow } from '../tables.ts'

/** The newest pipeline of each of these schedules. */
export async function newestScheduled(db: Reader, scheduleIds: readonly number[]): Promise<PipelineRow[]> {
  const newest = db
    .selectFrom('pipelines')
    .select((eb) => eb.fn.max('id').as('id'))
    .where(within(db, 'schedule_id', scheduleIds))
    .groupBy('schedule_id')
  return db.selectFrom('pipelines').selectAll().where('id', 'in', newest).execute()
}

/** Clears the link of pipelines to a schedule that is being deleted. */
export async function forgetSchedule(tx: Tx, scheduleId: number): Promise<void> {
  await tx.updateTable('pipelines').set({ schedule_id: null }).where('schedule_id', '=', scheduleId).execute()
}
