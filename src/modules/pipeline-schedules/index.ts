import { now } from '../../infra/database/index.ts'
import type { Events, Module, Reaction } from '../../platform/index.ts'
import { runScheduleJob, tickJob } from './running/running.ts'
import * as schedules from './schedules/operations.ts'
import { deactivateSchedulesOf } from './schedules/store.ts'
import * as variables from './variables/operations.ts'

export { importSchedule } from './imported.ts'
export { exportedSchedules, scheduleById } from './schedules/store.ts'

/** Switches off the schedules of a user who was blocked, or whose removal begins (contract 04, Scheduling: Owner). */
export const deactivateSchedules: Reaction<Events['user.blocked' | 'user.removal_began']> = (
  { clock },
  tx,
  { userId },
) => deactivateSchedulesOf(tx, userId, now(clock))

/** Schedules that create pipelines by the clock (contract 04). */
export const pipelineSchedules: Module = {
  name: 'pipeline-schedules',
  tags: { 'Pipeline schedules': 'Schedules that create pipelines.' },
  operations: [...Object.values(schedules), ...Object.values(variables)],
  jobs: [tickJob, runScheduleJob],
}
