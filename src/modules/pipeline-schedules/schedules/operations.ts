import { nothing, pageOf, reading, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { BasicPipeline, listPipelinesOfSchedule, scheduledFilter } from '../../pipelines/index.ts'
import { project } from '../../projects/index.ts'
import { playSchedule } from '../running/running.ts'
import { newSchedule, scheduleChanges, scheduleFilter, schedulePath } from './params.ts'
import { Schedule, ScheduleDetail } from './present.ts'
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  readableSchedule,
  takeOwnership,
  updateSchedule,
} from './schedules.ts'

const shared = { tag: 'Pipeline schedules', subject: project } as const
const read = { ...shared, allow: 'read_jobs', scopes: reading } as const
const write = { ...shared, allow: 'run_pipelines', scopes: writing } as const
const list = '/projects/:id/pipeline_schedules'
const one = `${list}/:pipeline_schedule_id` as const

export const pipelineSchedulesList = operation({
  ...read,
  id: 'pipeline_schedules.list',
  contract: '2.11',
  method: 'GET',
  path: list,
  summary: 'List the pipeline schedules of a project',
  params: scheduleFilter,
  result: [200, pageOf(Schedule)],
  run: ({ platform, subject, actor, params, page }) => listSchedules(platform, subject, actor, params.scope, page),
})

export const pipelineSchedulesGet = operation({
  ...read,
  id: 'pipeline_schedules.get',
  contract: '2.12',
  method: 'GET',
  path: one,
  summary: 'Get a pipeline schedule',
  params: schedulePath,
  result: [200, ScheduleDetail],
  run: ({ platform, subject, actor, params }) => getSchedule(platform, subject, actor, params.pipeline_schedule_id),
})

export const pipelineSchedulesPipelines = operation({
  ...read,
  id: 'pipeline_schedules.pipelines',
  contract: '2.13',
  method: 'GET',
  path: `${one}/pipelines`,
  summary: 'List the pipelines that a schedule has created',
  params: { ...schedulePath, ...scheduledFilter },
  result: [200, pageOf(BasicPipeline)],
  async run({ platform, subject, actor, params: { pipeline_schedule_id: id, ...filter }, page }) {
    const { id: scheduleId } = await readableSchedule(platform, subject, actor, id)
    return listPipelinesOfSchedule(platform, subject, scheduleId, filter, page)
  },
})

export const pipelineSchedulesCreate = operation({
  ...write,
  id: 'pipeline_schedules.create',
  contract: '2.14',
  method: 'POST',
  path: list,
  summary: 'Create a pipeline schedule',
  params: newSchedule,
  result: [201, ScheduleDetail],
  run: ({ platform, subject, actor, params }) => createSchedule(platform, subject, actor, params),
})

export const pipelineSchedulesUpdate = operation({
  ...write,
  id: 'pipeline_schedules.update',
  contract: '2.15',
  method: 'PUT',
  path: one,
  summary: 'Change a pipeline schedule',
  description: 'Only its owner may. The time of the next run is computed anew.',
  params: { ...schedulePath, ...scheduleChanges },
  result: [200, ScheduleDetail],
  run: ({ platform, subject, actor, params: { pipeline_schedule_id: id, ...changes } }) =>
    updateSchedule(platform, subject, actor, id, changes),
})

export const pipelineSchedulesTakeOwnership = operation({
  ...write,
  id: 'pipeline_schedules.take_ownership',
  contract: '2.16',
  method: 'POST',
  path: `${one}/take_ownership`,
  summary: 'Become the owner of a pipeline schedule',
  params: schedulePath,
  result: [201, ScheduleDetail],
  run: ({ platform, subject, actor, params }) => takeOwnership(platform, subject, actor, params.pipeline_schedule_id),
})

export const pipelineSchedulesDelete = operation({
  ...write,
  id: 'pipeline_schedules.delete',
  contract: '2.17',
  method: 'DELETE',
  path: one,
  summary: 'Delete a pipeline schedule',
  params: schedulePath,
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    deleteSchedule(platform, subject, actor, params.pipeline_schedule_id, unmodified),
})

export const pipelineSchedulesPlay = operation({
  ...write,
  id: 'pipeline_schedules.play',
  contract: '2.18',
  method: 'POST',
  path: `${one}/play`,
  summary: 'Run a pipeline schedule now',
  description: 'The pipeline is created in the background, as the caller.',
  params: schedulePath,
  result: [201, Type.Object({ message: Type.String() })],
  async run({ platform, subject, actor, params }) {
    await playSchedule(platform, subject, actor, params.pipeline_schedule_id)
    return { message: '201 Created' }
  },
})
