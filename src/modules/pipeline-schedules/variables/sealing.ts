import { mapInTurns } from '../../../infra/turns/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ScheduleVariableRow } from '../tables.ts'

const contextOf = (scheduleId: number, key: string) => `pipeline_schedule_variables:${scheduleId}:${key}`

export async function sealScheduleValue({ secrets }: Platform, scheduleId: number, key: string, value: string) {
  return (await secrets.sealer()).seal(value, contextOf(scheduleId, key))
}

/** A variable with its value. */
export type OpenedVariable = { variable_type: 'env_var' | 'file'; key: string; value: string }

/** @throws SealError when a value was sealed with a lost key */
export async function openScheduleVariables(
  { secrets }: Platform,
  rows: readonly ScheduleVariableRow[],
): Promise<OpenedVariable[]> {
  if (rows.length === 0) return []
  const sealer = await secrets.sealer()
  const open = ({ schedule_id, key, variable_type, sealed_value }: ScheduleVariableRow) => ({
    ...{ variable_type, key },
    value: sealer.open(sealed_value, contextOf(schedule_id, key)),
  })
  return mapInTurns(rows, ({ sealed_value: sealed }) => sealed.length, open)
}
