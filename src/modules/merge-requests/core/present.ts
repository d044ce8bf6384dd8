import { mapInTurns } from '../../../infra/turns/index.ts'
import { importMembers, type Platform } from '../../../platform/index.ts'
import { byCodePoint, countTasks, presentTimes } from '../../issuables/index.ts'
import { LabelBasic } from '../../labels/index.ts'
import { Milestone } from '../../milestones/index.ts'
import { type ProjectRow, projectsByIds, settingsOf } from '../../projects/index.ts'
import { presentUserBasic } from '../../users/index.ts'
import { isCheckable, isChecked } from '../mergeability/check.ts'
import { detailedStatus, type StatusFacts } from '../mergeability/status.ts'
import type { MergeRequestRow } from '../tables.ts'
import { type Loaded, load } from './loading.ts'
import type { PresentedBasic } from './schema.ts'

/** From where references are shown: the project itself, a group above it, or anywhere. */
export type Viewpoint = { kind: 'project' } | { kind: 'group'; fullPath: string } | { kind: 'instance' }

/** How a merge request is referred to (contract 19, `references`; 16, `references.relative`). */
export function referencesOf({ iid }: Pick<MergeRequestRow, 'iid'>, { full_path: path }: ProjectRow, from: Viewpoint) {
  const short = `!${iid}`
  const full = `${path}${short}`
  const ofGroup = from.kind === 'group' && path.startsWith(`${from.fullPath}/`)
  const relative = ofGroup ? full.slice(from.fullPath.length + 1) : from.kind === 'project' ? short : full
  return { short, relative, full }
}

/** What git said of a merge, in the older form of the status (contract 19, `merge_status`). */
function mergeStatus(row: MergeRequestRow, { isChecking }: StatusFacts): PresentedBasic['merge_status'] {
  if (row.state === 'merged' || row.state === 'locked') return 'can_be_merged'
  if (row.state === 'opened' && !isCheckable(row)) return 'cannot_be_merged'
  if (!isChecked(row)) return isChecking ? 'checking' : 'unchecked'
  return row.has_conflicts || !row.is_ahead ? 'cannot_be_merged' : 'can_be_merged'
}

/** Whether a merge makes one commit of all (contract 19, `squash_on_merge`). */
export function squashesOnMerge({ squash }: Pick<MergeRequestRow, 'squash'>, project: ProjectRow): boolean {
  const { squash_option: option } = settingsOf(project)
  return option === 'always' || (option !== 'never' && squash)
}

function labelsIn({ labels, labelRows }: Loaded, id: number): PresentedBasic['labels'] {
  const own = [...(labels.get(id) ?? [])].sort((left, right) => byCodePoint(left.title, right.title))
  if (!labelRows) return own.map(({ title }) => title)
  return own.flatMap((label) => {
    const row = labelRows.get(label.id)
    return row ? [LabelBasic.present(row)] : []
  })
}

function peopleIn(row: MergeRequestRow, { users, presenting, assignees, reviewers }: Loaded) {
  const shown = (id: number | null | undefined) => {
    const user = id == null ? undefined : users.get(id)
    return user ? presentUserBasic(user, presenting) : null
  }
  const all = (ids: readonly number[]) => ids.flatMap((id) => shown(id) ?? [])
  const author = shown(row.author_id)
  if (!author) throw new Error(`the author of merge request ${row.id} is missing`)
  const assigned = all(assignees.get(row.id) ?? [])
  return {
    author,
    assignees: assigned,
    assignee: assigned[0] ?? null,
    reviewers: all((reviewers.get(row.id) ?? []).map(({ user_id }) => user_id)),
    merged_by: row.state === 'merged' ? shown(row.merge_user_id) : null,
    merge_user: shown(row.merge_user_id ?? row.auto_merge?.userId),
    closed_by: shown(row.closed_by_id),
  }
}

function mergingOf(row: MergeRequestRow, project: ProjectRow, facts: StatusFacts) {
  const { sha, merge_commit_sha, squash_commit_sha, merge_after, merged_at, squash } = row
  const { should_remove_source_branch, force_remove_source_branch } = row
  const isRequired = settingsOf(project).only_allow_merge_if_all_discussions_are_resolved
  const merge_status = mergeStatus(row, facts)
  return {
    ...{ sha, merge_commit_sha, squash_commit_sha, merge_after, merged_at, squash, merge_status },
    ...{ should_remove_source_branch, force_remove_source_branch },
    merge_when_pipeline_succeeds: row.auto_merge !== null,
    detailed_merge_status: detailedStatus(row, facts),
    squash_on_merge: squashesOnMerge(row, project),
    has_conflicts: merge_status === 'cannot_be_merged' && isChecked(row) && row.has_conflicts,
    blocking_discussions_resolved: !isRequired || facts.openThreads === 0,
  }
}

/** Presents one of the merge requests that `load` was called for. */
export function presentBasic(
  platform: Platform,
  loaded: Loaded,
  row: MergeRequestRow,
  from: Viewpoint,
): PresentedBasic {
  const project = loaded.projects.get(row.project_id)
  if (!project) throw new Error(`the project of merge request ${row.id} is missing`)
  const { id, iid, project_id, title, description, state, created_at, updated_at, closed_at, draft } = row
  const { target_branch, source_branch, discussion_locked, prepared_at } = row
  const milestone = loaded.milestones.get(row.milestone_id ?? 0)
  const references = referencesOf(row, project, from)
  const { count, completed_count } = countTasks(description)
  return {
    ...{ id, iid, project_id, title, description, state, created_at, updated_at, closed_at, draft },
    ...{ target_branch, source_branch, discussion_locked, prepared_at, references },
    ...{ source_project_id: project_id, target_project_id: project_id, work_in_progress: draft },
    ...peopleIn(row, loaded),
    ...mergingOf(row, project, loaded.facts(row)),
    ...loaded.counts(id),
    labels: labelsIn(loaded, id),
    milestone: milestone ? Milestone.present(milestone, platform) : null,
    reference: references.short,
    web_url: `${platform.externalUrl}/${project.full_path}/-/merge_requests/${iid}`,
    time_stats: presentTimes(loaded.times.get(id)),
    task_completion_status: { count, completed_count },
    ...{ ...importMembers(row), approvals_before_merge: null },
  }
}

/** Presents merge requests with the members that every list has, in one query (contract 19, MergeRequestSimple). */
export async function presentSimple({ database, externalUrl }: Platform, rows: readonly MergeRequestRow[]) {
  const projects = await projectsByIds(
    database.read,
    rows.map(({ project_id }) => project_id),
  )
  const paths = new Map(projects.map((project) => [project.id, project.full_path]))
  return rows.map(({ id, iid, project_id, title, description, state, created_at, updated_at }) => ({
    ...{ id, iid, project_id, title, description, state, created_at, updated_at },
    web_url: `${externalUrl}/${paths.get(project_id)}/-/merge_requests/${iid}`,
  }))
}

/** Presents a page of merge requests, in a fixed number of queries. */
export async function presentBasics(
  platform: Platform,
  rows: readonly MergeRequestRow[],
  from: Viewpoint,
  options: { withLabelDetails?: boolean } = {},
): Promise<PresentedBasic[]> {
  const loaded = await load(platform, rows, options)
  const present = (row: MergeRequestRow) => presentBasic(platform, loaded, row, from)
  return mapInTurns(rows, ({ description }) => description?.length ?? 0, present)
}
