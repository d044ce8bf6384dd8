import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { assigneesOf, type LabelRef, labelsOf, type Times, timesOf } from '../../issuables/index.ts'
import { type LabelRow, labelsByIds } from '../../labels/index.ts'
import { type MilestoneRow, milestonesByIds } from '../../milestones/index.ts'
import { countsOf, type NoteableCounts } from '../../notes/index.ts'
import { type ProjectRow, projectsByIds } from '../../projects/index.ts'
import { type PresentingUsers, presentingUsers, type UserRow, usersByIds } from '../../users/index.ts'
import { reviewersOf } from '../approvals/store.ts'
import { type StatusFacts, statusFacts } from '../mergeability/status.ts'
import type { MergeRequestRow, ReviewerRow } from '../tables.ts'

/** What is shown of several merge requests besides their rows. */
export type Loaded = {
  projects: ReadonlyMap<number, ProjectRow>
  users: ReadonlyMap<number, UserRow>
  presenting: PresentingUsers
  assignees: ReadonlyMap<number, number[]>
  reviewers: ReadonlyMap<number, ReviewerRow[]>
  labels: ReadonlyMap<number, LabelRef[]>
  /** Set where labels are shown with their details. */
  labelRows: ReadonlyMap<number, LabelRow> | null
  milestones: ReadonlyMap<number, MilestoneRow>
  counts(id: number): NoteableCounts
  times: ReadonlyMap<number, Times>
  facts(row: MergeRequestRow): StatusFacts
}

function usersOf(
  db: Reader,
  rows: readonly MergeRequestRow[],
  { assignees, reviewers }: Pick<Loaded, 'assignees' | 'reviewers'>,
) {
  const ids = rows.flatMap((row) => [
    row.author_id,
    ...[row.merge_user_id, row.closed_by_id, row.auto_merge?.userId ?? null].flatMap((id) => id ?? []),
    ...(assignees.get(row.id) ?? []),
    ...(reviewers.get(row.id) ?? []).map(({ user_id }) => user_id),
  ])
  return usersByIds(db, [...new Set(ids)])
}

/** Loads what is shown of merge requests, in a fixed number of queries. */
export async function load(
  platform: Platform,
  rows: readonly MergeRequestRow[],
  { withLabelDetails = false }: { withLabelDetails?: boolean } = {},
): Promise<Loaded> {
  const db = platform.database.read
  const ids = rows.map(({ id }) => id)
  const found = await projectsByIds(
    db,
    rows.map(({ project_id }) => project_id),
  )
  const projects = new Map(found.map((row) => [row.id, row]))
  const [assignees, reviewers, labels, milestones, counts, times, facts, presenting] = await Promise.all([
    assigneesOf(db, 'MergeRequest', ids),
    reviewersOf(db, ids),
    labelsOf(db, 'MergeRequest', ids),
    milestonesByIds(
      db,
      rows.flatMap(({ milestone_id }) => milestone_id ?? []),
    ),
    countsOf(db, 'MergeRequest', ids),
    timesOf(db, 'MergeRequest', ids),
    statusFacts(platform, projects, rows),
    presentingUsers(platform),
  ])
  const [users, labelRows] = await Promise.all([
    usersOf(db, rows, { assignees, reviewers }),
    withLabelDetails
      ? labelsByIds(
          db,
          [...labels.values()].flat().map(({ id }) => id),
        )
      : null,
  ])
  return { projects, users, presenting, assignees, reviewers, labels, labelRows, milestones, counts, times, facts }
}
