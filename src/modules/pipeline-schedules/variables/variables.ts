import { type Actor, forbidden, invalid, notFound, type ParamValues, refuse, t } from '../../../api/index.ts'
import { claim, isUniqueViolation, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { maySetVariables } from '../../pipelines/index.ts'
import type { Project } from '../../projects/index.ts'
import { keyProblems, requireShortValues, valueProblems } from '../../variables/index.ts'
import { requireEditor, requireManager } from '../schedules/access.ts'
import { requireSchedule } from '../schedules/schedules.ts'
import type { ScheduleRow, ScheduleVariableRow } from '../tables.ts'
import { openScheduleVariables, sealScheduleValue } from './sealing.ts'
import * as store from './store.ts'

const variableType = t.oneOf(['env_var', 'file'])

export const newScheduleVariable = {
  key: t.required(t.string()),
  value: t.required(t.string()),
  variable_type: variableType,
}
export const scheduleVariableChanges = { value: t.string(), variable_type: variableType }

type NewScheduleVariable = ParamValues<typeof newScheduleVariable>
type ScheduleVariableChanges = ParamValues<typeof scheduleVariableChanges>

type At = { project: Project; actor: Actor; id: number }

async function present(platform: Platform, row: ScheduleVariableRow) {
  const [variable] = await openScheduleVariables(platform, [row])
  return { variable_type: row.variable_type, key: row.key, value: variable?.value ?? '', raw: false }
}

/** @throws ApiError 403 */
function requireVariables({ actor, project }: At): void {
  if (!maySetVariables(actor, project)) throw forbidden()
}

/** The schedule, for callers who may change it and its variables. @throws ApiError 403, 404 */
async function editableSchedule(platform: Platform, at: At): Promise<ScheduleRow> {
  const schedule = await requireSchedule(platform.database.read, at.project, at.id)
  requireEditor(at.actor, at.project, schedule)
  requireVariables(at)
  return schedule
}

/** @throws ApiError 404 */
async function requireVariable(db: Reader, schedule: ScheduleRow, key: string): Promise<ScheduleVariableRow> {
  const row = await store.scheduleVariable(db, schedule.id, key)
  if (!row) throw notFound('Pipeline Schedule Variable')
  return row
}

/** Creates a variable (contract 2.19). @throws ApiError 400, 403, 404 */
export async function createScheduleVariable(platform: Platform, at: At, given: NewScheduleVariable) {
  const schedule = await editableSchedule(platform, at)
  const key = given.key.trim()
  refuse({ key: keyProblems(key), value: valueProblems(given.value) })
  const sealed_value = await sealScheduleValue(platform, schedule.id, key, given.value)
  const variable = { schedule_id: schedule.id, key, variable_type: given.variable_type ?? 'env_var', sealed_value }
  const row = await platform.database
    .write((tx) => store.insertScheduleVariable(tx, variable))
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? invalid({ key: ['has already been taken'] }) : error
    })
  return present(platform, row)
}

/** Changes a variable (contract 2.20). @throws ApiError 400, 403, 404 */
export async function updateScheduleVariable(platform: Platform, at: At, key: string, given: ScheduleVariableChanges) {
  const schedule = await editableSchedule(platform, at)
  const { id, variable_type, sealed_value } = await requireVariable(platform.database.read, schedule, key)
  if (given.value !== undefined) requireShortValues([{ value: given.value }])
  const changes = {
    variable_type: given.variable_type ?? variable_type,
    sealed_value:
      given.value === undefined ? sealed_value : await sealScheduleValue(platform, schedule.id, key, given.value),
  }
  return present(platform, await platform.database.write((tx) => store.updateScheduleVariable(tx, id, changes)))
}

/** Deletes a variable, and returns what it was (contract 2.21). @throws ApiError 403, 404 */
export async function deleteScheduleVariable(platform: Platform, at: At, key: string) {
  const schedule = await requireSchedule(platform.database.read, at.project, at.id)
  requireManager(at.actor, at.project, schedule)
  requireVariables(at)
  const row = await platform.database.write(async (tx) => {
    const found = await claim(tx, 'pipeline_schedule_variables', () => requireVariable(tx, schedule, key))
    await store.deleteScheduleVariable(tx, found.id)
    return found
  })
  return present(platform, row)
}

/** One variable (contract 2.21b). @throws ApiError 403, 404 */
export async function getScheduleVariable(platform: Platform, at: At, key: string) {
  const schedule = await requireSchedule(platform.database.read, at.project, at.id)
  requireManager(at.actor, at.project, schedule)
  return present(platform, await requireVariable(platform.database.read, schedule, key))
}
