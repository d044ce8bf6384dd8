import { type ParamValues, t } from '../../../api/index.ts'

const variableType = t.oneOf(['env_var', 'file'])

export const newScheduleVariable = {
  key: t.required(t.string()),
  value: t.required(t.string()),
  variable_type: variableType,
}
export const scheduleVariableChanges = { value: t.string(), variable_type: variableType }

export type NewScheduleVariable = ParamValues<typeof newScheduleVariable>
export type ScheduleVariableChanges = ParamValues<typeof scheduleVariableChanges>
