import { forms, nullable, oneOf, onlyIn, type Static, type TSchema, Type } from '../../../api/index.ts'
import { TimeStats } from '../../issuables/index.ts'
import { Iteration } from '../../iterations/index.ts'
import { LabelBasic } from '../../labels/index.ts'
import { Milestone } from '../../milestones/index.ts'
import { UserBasic } from '../../users/index.ts'
import { healthStatuses, issueTypes } from '../tables.ts'

const References = Type.Object(
  { short: Type.String(), relative: Type.String(), full: Type.String() },
  { title: 'References' },
)

const Links = Type.Object(
  {
    self: Type.String(),
    notes: Type.String(),
    award_emoji: Type.String(),
    project: Type.String(),
    closed_as_duplicate_of: forms.nullableString,
  },
  { title: 'IssueLinks' },
)

/** The epic of an issue, as the issue shows it. */
export const IssueEpic = Type.Object(
  {
    id: forms.id,
    iid: forms.id,
    title: Type.String(),
    url: Type.String(),
    group_id: forms.id,
    human_readable_end_date: forms.nullableString,
    human_readable_timestamp: forms.nullableString,
  },
  { title: 'IssueEpic' },
)

const premium = { tier: 'premium' } as const

const upperCase = (values: readonly string[]) => oneOf(values.map((value) => value.toUpperCase()))

const basicMembers = {
  id: forms.id,
  iid: forms.id,
  project_id: forms.id,
  title: Type.String(),
  description: forms.nullableString,
  state: oneOf(['opened', 'closed']),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  closed_at: forms.nullableTimestamp,
  closed_by: nullable(UserBasic),
  labels: Type.Union([Type.Array(Type.String()), Type.Array(LabelBasic)], {
    description: 'Titles; objects with `with_labels_details`.',
  }),
  milestone: nullable(Milestone),
  assignees: Type.Array(UserBasic),
  author: UserBasic,
  type: upperCase(issueTypes),
  assignee: nullable(UserBasic),
  user_notes_count: Type.Integer(),
  merge_requests_count: Type.Integer({
    description: 'Merge requests that close the issue and that the caller can read.',
  }),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  due_date: forms.nullableDay,
  confidential: Type.Boolean(),
  discussion_locked: Type.Boolean(),
  issue_type: oneOf(issueTypes),
  web_url: Type.String(),
  time_stats: TimeStats,
  task_completion_status: Type.Object({ count: Type.Integer(), completed_count: Type.Integer() }),
  weight: onlyIn(premium, forms.nullableInteger),
  blocking_issues_count: onlyIn(premium, Type.Integer({ description: 'Open issues that this one blocks.' })),
} satisfies Record<string, TSchema>

const fullMembers = {
  ...basicMembers,
  has_tasks: Type.Boolean(),
  task_status: Type.String({ examples: ['1 of 3 checklist items completed'] }),
  _links: Links,
  references: References,
  severity: upperCase(['unknown', 'low', 'medium', 'high', 'critical']),
  moved_to_id: forms.nullableInteger,
  imported: Type.Boolean(),
  imported_from: Type.String(),
  service_desk_reply_to: forms.nullableString,
  epic_iid: onlyIn(premium, forms.nullableInteger),
  epic: onlyIn(premium, nullable(IssueEpic)),
  iteration: onlyIn(premium, nullable(Iteration)),
  health_status: onlyIn({ tier: 'ultimate' }, nullable(oneOf(healthStatuses))),
} satisfies Record<string, TSchema>

/** An issue inside links and lists of closed issues (contract 16, IssueBasic). */
export const IssueBasic = Type.Object(basicMembers, { title: 'IssueBasic' })
/** An issue in lists. */
export const ListedIssue = Type.Object(fullMembers, { title: 'ListedIssue' })
/** One issue (contract 16, Issue). */
export const IssueObject = Type.Object({ ...fullMembers, subscribed: Type.Boolean() }, { title: 'Issue' })
/** An issue that is linked to another one. */
export const RelatedIssue = Type.Object(
  {
    ...fullMembers,
    issue_link_id: forms.id,
    link_type: oneOf(['relates_to', 'blocks', 'is_blocked_by']),
    link_created_at: forms.timestamp,
    link_updated_at: forms.timestamp,
  },
  { title: 'RelatedIssue' },
)

export type PresentedIssue = Static<typeof ListedIssue>
export type PresentedSingleIssue = Static<typeof IssueObject>
export type PresentedEpic = Static<typeof IssueEpic>
