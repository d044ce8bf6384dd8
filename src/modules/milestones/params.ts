import { type ParamValues, t } from '../../api/index.ts'

const description = t.nullable(t.string({ maxLength: 1_048_576, description: 'Markdown.' }))
const day = (what: string) => t.clearable(t.string({ description: `${what}, YYYY-MM-DD; empty for none.` }))

const fields = { description, due_date: day('Due date'), start_date: day('First day') }

export const newMilestone = { title: t.required(t.string()), ...fields }
export type NewMilestone = ParamValues<typeof newMilestone>

/** In the order in which the refusal of a request without any names them. */
export const milestoneChanges = {
  title: t.string(),
  description,
  start_date: fields.start_date,
  due_date: fields.due_date,
  state_event: t.oneOf(['close', 'activate']),
}
export type MilestoneChanges = ParamValues<typeof milestoneChanges>

export const milestoneId = { milestone_id: t.id() }

const ancestors = 'Whether milestones of the groups above are listed; default false.'

export const projectMilestoneFilter = {
  iids: t.array(t.integer(), { commaSeparated: true }),
  state: t.oneOf(['active', 'closed', 'all'], { description: 'Default `all`.' }),
  title: t.string({ description: 'The whole title.' }),
  search: t.string({ description: 'A part of the title or of the description.' }),
  include_ancestors: t.boolean({ description: ancestors }),
  include_parent_milestones: t.boolean({ description: 'Older name of include_ancestors.' }),
  updated_before: t.datetime(),
  updated_after: t.datetime(),
  containing_date: t.datetime({ description: 'A day between the first day and the due date.' }),
}
export const groupMilestoneFilter = {
  ...projectMilestoneFilter,
  include_descendants: t.boolean({ description: 'Whether milestones of the groups below are listed; default false.' }),
}
export type MilestoneFilter = ParamValues<typeof groupMilestoneFilter>
