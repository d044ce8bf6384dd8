import { type Actor, dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { assigneesOf, type LabelRef, labelsOf, type Times, timesOf } from '../../issuables/index.ts'
import { type IterationRow, iterationsByIds } from '../../iterations/index.ts'
import { type LabelRow, labelsByIds } from '../../labels/index.ts'
import { type MilestoneRow, milestonesByIds } from '../../milestones/index.ts'
import { countsOf, type NoteableCounts } from '../../notes/index.ts'
import { type ProjectRow, projectsByIds } from '../../projects/index.ts'
import { type PresentingUsers, presentingUsers, type UserRow, usersByIds } from '../../users/index.ts'
import { readableAmong } from '../core/access.ts'
import { issuesByIds } from '../core/store.ts'
import { blockedCounts } from '../links/store.ts'
import type { IssueRow } from '../tables.ts'
import type { PresentedEpic } from './schema.ts'

/** What a page of issues shows besides their rows. */
export type IssueFacts = {
  projects: ReadonlyMap<number, ProjectRow>
  users: ReadonlyMap<number, UserRow>
  presenting: PresentingUsers
  assignees: ReadonlyMap<number, readonly number[]>
  labels: ReadonlyMap<number, readonly LabelRef[]>
  /** Only for lists with details of labels. */
  labelRows: ReadonlyMap<number, LabelRow> | null
  milestones: ReadonlyMap<number, MilestoneRow>
  iterations: ReadonlyMap<number, IterationRow>
  times: ReadonlyMap<number, Times>
  counts(id: number): NoteableCounts
  closing: ReadonlyMap<number, number>
  blocked: ReadonlyMap<number, number>
  epics: ReadonlyMap<number, PresentedEpic>
  /** The issues that others name as their original, or to which they have moved, as far as the caller can read them. */
  named: ReadonlyMap<number, IssueRow>
}

const present = <T>(values: readonly (T | null)[]): T[] => values.filter((value) => value !== null)

async function namedBy(platform: Platform, rows: readonly IssueRow[], actor: Actor) {
  const ids = present(rows.flatMap(({ duplicated_to_id, moved_to_id }) => [duplicated_to_id, moved_to_id]))
  if (ids.length === 0) return new Map<number, IssueRow>()
  const found = await issuesByIds(platform.database.read, [...new Set(ids)])
  const readable = await readableAmong(platform, found, actor, dayOf(platform.clock.now()))
  return new Map(readable.map(({ row }) => [row.id, row]))
}

/** Loads what a page of issues shows, in a constant number of queries. */
export async function factsOf(
  platform: Platform,
  rows: readonly IssueRow[],
  actor: Actor,
  { withLabelDetails = false }: { withLabelDetails?: boolean } = {},
): Promise<IssueFacts> {
  const { read: db } = platform.database
  const ids = rows.map(({ id }) => id)
  const [projects, labels, assignees] = await Promise.all([
    projectsByIds(
      db,
      rows.map(({ project_id }) => project_id),
    ),
    labelsOf(db, 'Issue', ids),
    assigneesOf(db, 'Issue', ids),
  ])
  const people = rows.flatMap(({ author_id, closed_by_id }) => [author_id, ...present([closed_by_id])])
  const labelIds = withLabelDetails ? [...labels.values()].flat().map(({ id }) => id) : null
  const [users, presenting, labelRows, milestones, iterations, times, counts, blocked, named] = await Promise.all([
    usersByIds(db, [...people, ...[...assignees.values()].flat()]),
    presentingUsers(platform),
    labelIds && labelsByIds(db, labelIds),
    milestonesByIds(db, present(rows.map(({ milestone_id }) => milestone_id))),
    iterationsByIds(db, present(rows.map(({ iteration_id }) => iteration_id))),
    timesOf(db, 'Issue', ids),
    countsOf(db, 'Issue', ids),
    blockedCounts(db, ids),
    namedBy(platform, rows, actor),
  ])
  const [closing, epics] = await Promise.all([
    platform.ports['issues.closing_counts'](platform, ids, actor),
    platform.ports['issues.epics'](platform, ids, actor),
  ])
  return {
    projects: new Map(projects.map((project) => [project.id, project])),
    ...{ users, presenting, assignees, labels, labelRows, milestones, iterations, times },
    ...{ counts, closing, blocked, epics, named },
  }
}
