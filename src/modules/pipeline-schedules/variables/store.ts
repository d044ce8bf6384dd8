import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { pipelineScheduleVariables, type ScheduleVariableRow } from '../tables.ts'

export const { insert: insertScheduleVariable, remove: deleteScheduleVariable } = rows(pipelineScheduleVariables)

/** The variables of a schedule, in the order of their creation. */
export async function variablesOfSchedule(db: Reader, scheduleId: number): Promise<ScheduleVariableRow[]> {
  const query = db.selectFrom('pipeline_schedule_variables').selectAll().where('schedule_id', '=', scheduleId)
  return query.orderBy('id').execute()
}

export async function scheduleVariable(
  db: Reader,
  scheduleId: number,
  key: string,
): Promise<ScheduleVariableRow | null> {
  const query = db.selectFrom('pipeline_schedule_variables').selectAll().where('schedule_id', '=', scheduleId)
  return (await query.where('key', '=', key).executeTakeFirst()) ?? null
}

export async function updateScheduleVariable(
  tx: Tx,
  id: number,
  changes: Partial<Pick<ScheduleVariableRow, 'sealed_value' | 'variable_type'>>,
): Promise<ScheduleVariableRow> {
  const query = tx.updateTable('pipeline_schedule_variables').set(changes).where('id', '=', id)
  return query.returningAll().executeTakeFirstOrThrow()
}
