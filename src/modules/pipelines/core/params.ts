import { type ParamValues, t } from '../../../api/index.ts'
import { ciStates } from '../tables.ts'

/** All sources of pipelines (contract 04, Sources); `scheduled` stands for `schedule`. */
const sources = [
  'push',
  'web',
  'trigger',
  'schedule',
  'scheduled',
  'api',
  'pipeline',
  'merge_request_event',
  'parent_pipeline',
  'external',
  'chat',
  'webide',
  'external_pull_request_event',
  'ondemand_dast_scan',
  'ondemand_dast_validation',
  'security_orchestration_policy',
  'container_registry_push',
  'unknown',
] as const

const scopes = ['running', 'pending', 'finished', 'branches', 'tags'] as const

/** Filters that lists of pipelines share. */
export const commonFilter = {
  scope: t.oneOf(scopes),
  status: t.oneOf(ciStates),
  created_after: t.datetime(),
  created_before: t.datetime(),
  updated_after: t.datetime(),
  updated_before: t.datetime(),
}
export type CommonFilter = ParamValues<typeof commonFilter>

export const pipelineFilter = {
  ...commonFilter,
  ref: t.string(),
  sha: t.string(),
  yaml_errors: t.boolean({ description: 'Only pipelines whose configuration was invalid, or only the others.' }),
  username: t.string({ description: 'Who ran them.' }),
  name: t.string({ description: 'The whole name.' }),
  source: t.oneOf(sources),
  with_details: t.boolean({ description: 'With the stages, the times, the title of the commit and the user.' }),
  order_by: t.oneOf(['id', 'status', 'ref', 'updated_at', 'user_id'], { description: 'Default `id`.' }),
  sort: t.oneOf(['asc', 'desc'], { description: 'Default `desc`.' }),
}
export type PipelineFilter = ParamValues<typeof pipelineFilter>

export const latestPipeline = { ref: t.string({ description: 'Branch or tag; default the default branch.' }) }

const variable = t.object({
  key: t.required(t.string({ blank: false })),
  value: t.required(t.string()),
  variable_type: t.oneOf(['env_var', 'file'], { description: 'Default `env_var`.' }),
})

export const newPipeline = {
  ref: t.required(t.string({ blank: false, description: 'Branch or tag.' })),
  variables: t.array(variable, { maximum: 1000 }),
}
export type PipelineRequest = ParamValues<typeof newPipeline>

export const pipelineId = { pipeline_id: t.id() }
export const pipelineMetadata = { ...pipelineId, name: t.required(t.string()) }
