import { forms, nullable, oneOf, onlyIn, type Static, Type } from '../../../api/index.ts'
import { TimeStats } from '../../issuables/index.ts'
import { LabelBasic } from '../../labels/index.ts'
import { Milestone } from '../../milestones/index.ts'
import { BasicPipeline, Pipeline } from '../../pipelines/index.ts'
import { UserBasic } from '../../users/index.ts'
import { detailedStatuses } from '../mergeability/status.ts'
import { mergeRequestStates } from '../tables.ts'

const References = Type.Object({ short: Type.String(), relative: Type.String(), full: Type.String() })

const TaskCompletion = Type.Object({ count: Type.Integer(), completed_count: Type.Integer() })

/** A merge request in a list (contract 19, MergeRequestBasic). */
export const MergeRequestBasic = Type.Object(
  {
    id: forms.id,
    iid: forms.id,
    project_id: forms.id,
    title: Type.String(),
    description: forms.nullableString,
    state: oneOf(mergeRequestStates),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    merged_by: nullable(UserBasic),
    merge_user: nullable(UserBasic),
    merged_at: forms.nullableTimestamp,
    merge_after: forms.nullableTimestamp,
    closed_by: nullable(UserBasic),
    closed_at: forms.nullableTimestamp,
    title_html: Type.Optional(Type.String()),
    description_html: Type.Optional(Type.String()),
    target_branch: Type.String(),
    source_branch: Type.String(),
    user_notes_count: Type.Integer(),
    upvotes: Type.Integer(),
    downvotes: Type.Integer(),
    author: UserBasic,
    assignees: Type.Array(UserBasic),
    assignee: nullable(UserBasic),
    reviewers: Type.Array(UserBasic),
    source_project_id: forms.id,
    target_project_id: forms.id,
    labels: Type.Array(Type.Union([Type.String(), LabelBasic])),
    draft: Type.Boolean(),
    imported: Type.Boolean(),
    imported_from: Type.String(),
    work_in_progress: Type.Boolean(),
    milestone: nullable(Milestone),
    merge_when_pipeline_succeeds: Type.Boolean(),
    merge_status: oneOf(['unchecked', 'checking', 'can_be_merged', 'cannot_be_merged']),
    detailed_merge_status: oneOf(detailedStatuses),
    sha: Type.String(),
    merge_commit_sha: forms.nullableString,
    squash_commit_sha: forms.nullableString,
    discussion_locked: nullable(Type.Boolean()),
    should_remove_source_branch: nullable(Type.Boolean()),
    force_remove_source_branch: nullable(Type.Boolean()),
    prepared_at: forms.nullableTimestamp,
    reference: Type.String(),
    references: References,
    web_url: Type.String(),
    time_stats: TimeStats,
    squash: Type.Boolean(),
    squash_on_merge: Type.Boolean(),
    task_completion_status: TaskCompletion,
    has_conflicts: Type.Boolean(),
    blocking_discussions_resolved: Type.Boolean(),
    approvals_before_merge: onlyIn({ tier: 'premium' }, forms.nullableInteger),
  },
  { title: 'MergeRequestBasic' },
)
export type PresentedBasic = Static<typeof MergeRequestBasic>

const DiffRefs = Type.Object({ base_sha: Type.String(), head_sha: Type.String(), start_sha: Type.String() })

/** A merge request alone (contract 19, MergeRequest). */
export const MergeRequest = Type.Object(
  {
    ...MergeRequestBasic.properties,
    subscribed: Type.Boolean(),
    changes_count: forms.nullableString,
    latest_build_started_at: forms.nullableTimestamp,
    latest_build_finished_at: forms.nullableTimestamp,
    first_deployed_to_production_at: forms.nullableTimestamp,
    pipeline: nullable(BasicPipeline),
    head_pipeline: nullable(Pipeline),
    diff_refs: nullable(DiffRefs),
    merge_error: forms.nullableString,
    rebase_in_progress: Type.Optional(Type.Boolean()),
    diverged_commits_count: Type.Optional(Type.Integer()),
    first_contribution: Type.Boolean(),
    user: Type.Object({ can_merge: Type.Boolean() }),
  },
  { title: 'MergeRequest' },
)
export type PresentedMergeRequest = Static<typeof MergeRequest>

const { id, iid, project_id, title, description, state, created_at, updated_at, web_url, ...others } =
  MergeRequestBasic.properties

/** The members that every merge request has in every list (contract 19, MergeRequestSimple). */
export const MergeRequestSimple = Type.Object(
  { id, iid, project_id, title, description, state, created_at, updated_at, web_url },
  { title: 'MergeRequestSimple' },
)

/** A merge request in a list: with `view=simple` only the members that every one has (contract 19, MergeRequestSimple). */
export const ListedMergeRequest = Type.Object(
  {
    ...MergeRequestSimple.properties,
    approvals_given: Type.Optional(Type.Integer()),
    approvals_left: Type.Optional(Type.Integer()),
    head_pipeline: Type.Optional(nullable(BasicPipeline)),
    ...(Object.fromEntries(
      Object.entries(others).map(([name, schema]) => [name, Type.Optional(schema)]),
    ) as unknown as typeof others),
  },
  { title: 'ListedMergeRequest' },
)
