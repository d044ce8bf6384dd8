import { reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { schedulePath } from '../schedules/params.ts'
import { ScheduleVariable } from '../schedules/present.ts'
import {
  createScheduleVariable,
  deleteScheduleVariable,
  getScheduleVariable,
  newScheduleVariable,
  scheduleVariableChanges,
  updateScheduleVariable,
} from './variables.ts'

const shared = { tag: 'Pipeline schedules', subject: project, allow: 'run_pipelines', scopes: writing } as const
const list = '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables'
const one = `${list}/:key` as const

export const scheduleVariablesCreate = operation({
  ...shared,
  id: 'pipeline_schedule_variables.create',
  contract: '2.19',
  method: 'POST',
  path: list,
  summary: 'Create a variable of a pipeline schedule',
  params: { ...schedulePath, ...newScheduleVariable },
  result: [201, ScheduleVariable],
  run: ({ platform, subject, actor, params: { pipeline_schedule_id: id, ...given } }) =>
    createScheduleVariable(platform, { project: subject, actor, id }, given),
})

export const scheduleVariablesUpdate = operation({
  ...shared,
  id: 'pipeline_schedule_variables.update',
  contract: '2.20',
  method: 'PUT',
  path: one,
  summary: 'Change a variable of a pipeline schedule',
  params: { ...schedulePath, ...scheduleVariableChanges },
  result: [200, ScheduleVariable],
  run: ({ platform, subject, actor, params: { pipeline_schedule_id: id, key, ...given } }) =>
    updateScheduleVariable(platform, { project: subject, actor, id }, key, given),
})

export const scheduleVariablesDelete = operation({
  ...shared,
  id: 'pipeline_schedule_variables.delete',
  contract: '2.21',
  method: 'DELETE',
  path: one,
  summary: 'Delete a variable of a pipeline schedule',
  params: schedulePath,
  result: [202, ScheduleVariable],
  run: ({ platform, subject, actor, params: { pipeline_schedule_id: id, key } }) =>
    deleteScheduleVariable(platform, { project: subject, actor, id }, key),
})

export const scheduleVariablesGet = operation({
  ...shared,
  scopes: reading,
  id: 'pipeline_schedule_variables.get',
  contract: '2.21b',
  method: 'GET',
  path: one,
  summary: 'Get a variable of a pipeline schedule',
  params: schedulePath,
  result: [200, ScheduleVariable],
  run: ({ platform, subject, actor, params: { pipeline_schedule_id: id, key } }) =>
    getScheduleVariable(platform, { project: subject, actor, id }, key),
})
