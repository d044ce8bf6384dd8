import { type ParamValues, t } from '../../../api/index.ts'
import { ciStates } from '../../pipelines/index.ts'
import { accessLevels, runnerTypes } from '../tables.ts'
import { runnerStatuses } from './status.ts'

const flags = {
  paused: t.boolean({ description: 'Whether it gets no jobs.' }),
  locked: t.boolean({ description: 'Whether it cannot be assigned to further projects.' }),
  access_level: t.oneOf(accessLevels, { description: '`ref_protected`: only jobs of protected branches and tags.' }),
  run_untagged: t.boolean({ description: 'Whether it takes jobs without tags. Default: true.' }),
  tag_list: t.array(t.string(), { commaSeparated: true, description: 'Jobs whose tags are all in this list.' }),
}

/** Attributes that are the same however a runner is created. */
export const newRunner = {
  description: t.string(),
  maintenance_note: t.string(),
  ...flags,
  maximum_timeout: t.integer({ description: 'Seconds; at least 600.' }),
}
export type NewRunner = ParamValues<typeof newRunner>

/** Parameters of x.runner_create. */
export const createdRunner = {
  runner_type: t.required(t.oneOf(runnerTypes)),
  group_id: t.integer({ description: 'The group of a runner of type `group_type`.' }),
  project_id: t.integer({ description: 'The project of a runner of type `project_type`.' }),
  ...newRunner,
}
export type CreatedRunner = ParamValues<typeof createdRunner>

/** Parameters of x.runner_update. */
export const runnerChanges = {
  description: t.nullable(t.string()),
  active: t.boolean({ description: 'The contrary of `paused`.' }),
  ...flags,
  maximum_timeout: t.clearable(t.integer({ description: 'Seconds; at least 600.' })),
  maintenance_note: t.nullable(t.string()),
}
export type RunnerChanges = ParamValues<typeof runnerChanges>

/** Filters of all lists of runners. */
export const runnerFilter = {
  type: t.oneOf(runnerTypes),
  status: t.oneOf(runnerStatuses),
  paused: t.boolean(),
  tag_list: t.array(t.string(), { commaSeparated: true, description: 'Runners with all of these tags.' }),
  version_prefix: t.string({ description: 'Beginning of the version of the runner, such as `17.`.' }),
  scope: t.string({ description: 'An older way to name a status or type.' }),
}
export type RunnerFilter = ParamValues<typeof runnerFilter>

/** Filters of the jobs of a runner. */
export const jobFilter = {
  status: t.oneOf(ciStates),
  system_id: t.string({ description: 'Only jobs that this program took.' }),
  order_by: t.oneOf(['id']),
  sort: t.oneOf(['asc', 'desc']),
}
export type JobFilter = ParamValues<typeof jobFilter>

export const idInPath = { id: t.id() }
