import { allTakenIn, type Param, type ParamValues, t, takenIn } from '../../../api/index.ts'
import { assigneeIds, labelTitles } from '../../issuables/index.ts'
import { healthStatuses, issueTypes, severities } from '../tables.ts'

/** Present and empty is an error: `confidential is empty`. */
const filledBoolean: Param<boolean, false> = {
  ...t.boolean(),
  emptyIsAbsent: false,
  read(value, name, problems) {
    if (value !== '') return t.boolean().read(value, name, problems)
    problems.push({ name, missing: false, text: 'is empty' })
    return undefined
  },
}

const onlyPlanners = 'Ignored for callers who are not planners.'
const onlyOwners = 'Only for owners of the project and administrators, also by `sudo`; else ignored.'

const attributes = {
  assignee_id: t.clearable(t.integer({ description: `Deprecated; 0 unassigns. ${onlyPlanners}` })),
  assignee_ids: assigneeIds(`0 unassigns. ${onlyPlanners}`),
  created_at: t.datetime({ description: onlyOwners }),
  description: t.nullable(t.string({ description: 'Markdown; up to 1 MiB.' })),
  discussion_locked: t.boolean(),
  due_date: t.clearable(t.string({ description: `YYYY-MM-DD. ${onlyPlanners}` })),
  labels: labelTitles(`Titles; unknown ones become labels of the project. ${onlyPlanners}`),
  add_labels: labelTitles(`Titles of labels to add. ${onlyPlanners}`),
  remove_labels: labelTitles(`Titles of labels to remove. ${onlyPlanners}`),
  milestone_id: t.clearable(t.integer({ description: `Of the project or a group above it. ${onlyPlanners}` })),
  issue_type: t.oneOf(issueTypes),
  ...allTakenIn(
    { tier: 'premium' },
    {
      weight: t.clearable(t.integer({ description: onlyPlanners })),
      epic_id: t.clearable(t.integer({ description: onlyPlanners })),
      epic_iid: t.integer({ description: 'Deprecated; use `epic_id`.' }),
      iteration_id: t.clearable(t.integer({ description: `Of a group above the project; 0 clears. ${onlyPlanners}` })),
    },
  ),
  health_status: takenIn({ tier: 'ultimate' }, t.clearable(t.oneOf(healthStatuses))),
}

export const newIssue = {
  title: t.required(t.string()),
  ...attributes,
  confidential: t.boolean(),
  iid: t.integer({ minimum: 1, maximum: 1_000_000_000, description: onlyOwners }),
  merge_request_to_resolve_discussions_of: t.integer({
    description: 'Iid of a merge request whose threads are resolved and listed in the description.',
  }),
  discussion_to_resolve: t.string({ description: 'Only this thread of the merge request.' }),
}
export type NewIssue = ParamValues<typeof newIssue>

export const issueChanges = {
  ...attributes,
  title: t.string(),
  confidential: filledBoolean,
  state_event: t.oneOf(['close', 'reopen']),
  severity: t.oneOf(severities, { description: 'Of incidents.' }),
  updated_at: t.datetime({ description: onlyOwners }),
}
export type IssueChanges = ParamValues<typeof issueChanges>

/** One of these is needed, in the order of the error (contract 16, x.issue_update). */
export const changeable = [
  'assignee_id',
  'assignee_ids',
  'confidential',
  'created_at',
  'description',
  'discussion_locked',
  'due_date',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'state_event',
  'title',
  'issue_type',
  'weight',
  'epic_id',
  'epic_iid',
] as const
