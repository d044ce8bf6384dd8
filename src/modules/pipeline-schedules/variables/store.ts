import type { Insertable } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { PipelineScheduleVariablesTable, ScheduleVariableRow } from '../tables.ts'

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

/** @throws UniqueViolation of `pipeline_schedule_variables_key_unique` */
export async function insertScheduleVariable(
  tx: Tx,
  variable: Insertable<PipelineScheduleVariablesTable>,
): Promise<ScheduleVariableRow> {
  return tx.insertInto('pipeline_schedule_variables').values(variable).returningAll().executeTakeFirstOrThrow()
}

export async function updateScheduleVariable(
  tx: Tx,
  id: number,
  changes: Partial<Pick<ScheduleVariableRow, 'sealed_value' | 'variable_type'>>,
): Promise<ScheduleVariableRow> {
  const query = tx.updateTable('pipeline_schedule_variables').set(changes).where('id', '=', id)
  return query.returningAll().executeTakeFirstOrThrow()
}

export async function deleteScheduleVariable(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('pipeline_schedule_variables').where('id', '=', id).execute()
}
