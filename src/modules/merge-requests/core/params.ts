import { type ParamValues, t } from '../../../api/index.ts'

const ids = (description: string) => t.array(t.integer(), { commaSeparated: true, maximum: 200, description })
const titles = (description: string) => t.array(t.string(), { commaSeparated: true, maximum: 1_000, description })

export const merge_request_iid = t.id()

/** What can be set on creation and later (contract 19, x.mr_create, x.mr_update). */
const writable = {
  description: t.string({ description: 'Markdown; at most 1 MiB.' }),
  assignee_id: t.clearable(t.integer({ description: 'Older form of `assignee_ids`.' })),
  assignee_ids: ids('Users to assign; `0` or an empty list unassigns.'),
  reviewer_ids: ids('Users to ask for a review; `0` or an empty list removes all.'),
  labels: titles('Names of labels; unknown ones are created.'),
  milestone_id: t.clearable(t.integer({ description: 'A milestone of the project or a group above it; 0 for none.' })),
  remove_source_branch: t.boolean({ description: 'Whether the merge deletes the source branch.' }),
  allow_collaboration: t.boolean({ description: 'Accepted without an effect.' }),
  allow_maintainer_to_push: t.boolean({ description: 'Accepted without an effect.' }),
  squash: t.boolean({ description: 'Whether the merge makes one commit of all.' }),
  discussion_locked: t.boolean({ description: 'Whether only members may comment.' }),
  merge_after: t.clearable(t.datetime({ description: 'It cannot be merged before.' })),
}

export const newMergeRequest = {
  source_branch: t.required(t.string()),
  target_branch: t.required(t.string()),
  title: t.required(t.string({ description: '`Draft:` at the beginning marks a draft.' })),
  target_project_id: t.integer({ description: 'Only the project itself.' }),
  approvals_before_merge: t.integer({ description: 'Accepted without an effect.' }),
  ...writable,
}
export type NewMergeRequest = ParamValues<typeof newMergeRequest>

export const changedMergeRequest = {
  ...writable,
  add_labels: titles('Names of labels to be added.'),
  remove_labels: titles('Names of labels to be removed.'),
  target_branch: t.string(),
  title: t.string({ blank: false }),
  state_event: t.oneOf(['close', 'reopen']),
}
export type ChangedMergeRequest = ParamValues<typeof changedMergeRequest>

/** The names in the order of the error for a request without any. */
export const changeNames = [
  'assignee_id',
  'assignee_ids',
  'reviewer_ids',
  'description',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'remove_source_branch',
  'allow_collaboration',
  'allow_maintainer_to_push',
  'squash',
  'target_branch',
  'title',
  'state_event',
  'discussion_locked',
  'merge_after',
] as const satisfies (keyof typeof changedMergeRequest)[]

export const extras = {
  render_html: t.boolean({ description: 'With `title_html` and `description_html`.' }),
  include_diverged_commits_count: t.boolean({ description: 'With the number of commits that only the target has.' }),
  include_rebase_in_progress: t.boolean({ description: 'With whether a rebase is under way.' }),
  with_labels_details: t.boolean({ description: 'With the colours of the labels, as in lists.' }),
}
