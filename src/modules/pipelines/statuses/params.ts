import { type ParamValues, t } from '../../../api/index.ts'
import { commitStates } from '../tables.ts'

/** Parameters of x.commits_statuses. */
export const statusFilter = {
  ref: t.string({ description: 'Only statuses of this branch or tag.' }),
  stage: t.string({ description: 'Only statuses of this stage.' }),
  name: t.string({ description: 'Only statuses of this name.' }),
  pipeline_id: t.integer({ description: 'Only statuses of this pipeline.' }),
  order_by: t.oneOf(['id', 'pipeline_id'], { description: 'Default `id`.' }),
  sort: t.oneOf(['asc', 'desc'], { description: 'Default `asc`.' }),
  all: t.boolean({ description: 'All statuses, not only the latest of each name.' }),
}
export type StatusFilter = ParamValues<typeof statusFilter>

/** Parameters of x.commits_status_set. */
export const newStatus = {
  state: t.required(t.oneOf(commitStates)),
  ref: t.string({ description: 'Branch or tag; default that of the newest pipeline, else a branch with the commit.' }),
  name: t.string({ description: 'Distinguishes the statuses of a commit; default `default`.' }),
  context: t.string({ description: 'Alias of `name`, which takes precedence.' }),
  target_url: t.string({ description: 'Link to details; http or https.' }),
  description: t.string(),
  coverage: t.string({ description: 'Test coverage in percent.' }),
  pipeline_id: t.integer({ description: 'Pipeline of the status; default the newest.' }),
}
export type NewStatus = ParamValues<typeof newStatus>
