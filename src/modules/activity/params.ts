import { type ParamValues, t } from '../../api/index.ts'

/** The actions of the filter, with the names by which events record them. */
export const actionNames = {
  approved: ['approved'],
  closed: ['closed'],
  commented: ['commented on'],
  created: ['created', 'opened'],
  destroyed: ['destroyed'],
  expired: ['expired'],
  joined: ['joined'],
  left: ['left'],
  merged: ['accepted'],
  pushed: ['pushed to', 'pushed new', 'deleted'],
  reopened: ['reopened'],
  updated: ['updated'],
} as const

export const noteTypes = ['Note', 'DiffNote', 'DiscussionNote'] as const

/** The targets of the filter, with the names by which events record them. */
export const targetTypes = {
  epic: ['Epic'],
  issue: ['Issue'],
  merge_request: ['MergeRequest'],
  milestone: ['Milestone'],
  note: noteTypes,
  project: ['Project'],
  snippet: ['Snippet'],
  user: ['User'],
  wiki: ['WikiPage::Meta'],
} as const

const keysOf = <T extends object>(names: T) => Object.keys(names) as (keyof T & string)[]

/** Parameters of x.projects_events and x.users_events. */
export const eventFilter = {
  action: t.oneOf(keysOf(actionNames), { description: 'Only events of this action.' }),
  target_type: t.oneOf(keysOf(targetTypes), { description: 'Only events about targets of this type.' }),
  before: t.date({ description: 'Only events of the days before this one.' }),
  after: t.date({ description: 'Only events of the days after this one.' }),
  sort: t.oneOf(['asc', 'desc'], { description: 'By time; `desc` by default.' }),
}
export type EventFilter = ParamValues<typeof eventFilter>

/** Parameters of x.events_list. */
export const ownEventFilter = {
  ...eventFilter,
  scope: t.oneOf(['all'], { description: 'Also the events of others in projects that the caller is a member of.' }),
}
