import { type ParamValues, t } from '../../../api/index.ts'
import { commonFilters, numberOr, text, wantedIids, word } from '../../issuables/index.ts'
import { mergeRequestStates } from '../tables.ts'

const scopes = ['created_by_me', 'assigned_to_me', 'reviews_for_me', 'all'] as const
const aliases = ['created-by-me', 'assigned-to-me', 'reviews-for-me'] as const

/** More ids are refused (contract 19, Filters). */
const mostApprovers = 5
const approvers = (description: string) => t.array(numberOr(['none', 'any'], description), { maximum: mostApprovers })

const { assignee_username, author_id, author_username, labels, milestone } = commonFilters

const reviewers = {
  reviewer_id: numberOr(['none', 'any'], 'Id of a reviewer, `None` or `Any`.'),
  reviewer_username: text('User name of a reviewer.'),
}

/** Filters of all lists (contract 19, "Operations: listing"). */
export const listFilters = {
  ...commonFilters,
  ...reviewers,
  state: word([...mergeRequestStates, 'all']),
  scope: word([...scopes, ...aliases]),
  merge_user_id: t.integer(),
  merge_user_username: text('User name of the merger.'),
  source_branch: text('Name of the source branch.'),
  target_branch: text('Name of the target branch.'),
  source_project_id: t.integer(),
  wip: word(['yes', 'no'], 'Whether it is a draft.'),
  approved: word(['yes', 'no'], 'Whether someone has approved it.'),
  approved_by_ids: approvers('Users who all have approved, `None` or `Any`.'),
  approved_by_usernames: t.array(t.string(), { maximum: mostApprovers, description: 'Users who all have approved.' }),
  approver_ids: approvers('Users whom the rules of the project name, `None` or `Any`.'),
  iids: wantedIids,
  not: t.object(
    {
      ...{ assignee_id: t.integer(), assignee_username, author_id, author_username, labels, milestone },
      ...{ reviewer_id: t.integer(), reviewer_username: reviewers.reviewer_username },
      my_reaction_emoji: commonFilters.my_reaction_emoji,
    },
    { description: 'Filters of which the merge requests may meet none.' },
  ),
  with_labels_details: t.boolean(),
  with_review_details: t.boolean({
    description: 'With the approvals, and the newest pipeline where the caller may read it.',
  }),
  with_merge_status_recheck: t.boolean({ description: 'Asks git again where the branches have moved.' }),
  view: word(['simple'], 'Only a few members of each.'),
  order_by: word([
    'created_at',
    'label_priority',
    'milestone_due',
    'popularity',
    'priority',
    'title',
    'updated_at',
    'merged_at',
    'id',
  ]),
  sort: word(['asc', 'desc']),
}
export const wideFilters = {
  ...listFilters,
  non_archived: t.boolean({ description: 'Leave out archived projects; default true.' }),
}
export type ListParams = Partial<ParamValues<typeof wideFilters>>

/** Filters of which one may be given, besides those of all issuables. */
export const exclusiveFilters = [
  ['reviewer_id', 'reviewer_username'],
  ['merge_user_id', 'merge_user_username'],
] as const

/** A scope without its alias. */
export const scopeOf = (scope: ListParams['scope']) =>
  scope?.replaceAll('-', '_') as (typeof scopes)[number] | undefined
