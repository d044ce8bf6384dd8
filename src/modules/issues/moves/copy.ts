import type { Actor } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { assigneesOf, type ChangeOrigin, labelsOf } from '../../issuables/index.ts'
import { usableLabels } from '../../labels/index.ts'
import { milestonesByIds, usableMilestonesTitled } from '../../milestones/index.ts'
import type { Project, ProjectRow } from '../../projects/index.ts'
import { readersAmong } from '../core/assignable.ts'
import { ownerOf } from '../core/changes.ts'
import { addIssue, type IssueDraft } from '../core/create.ts'
import type { IssueRow } from '../tables.ts'
import { withFullReferences } from './references.ts'

/** The labels of an issue that another project has or inherits too, with their ids there. */
async function sharedLabels(tx: Tx, row: IssueRow, target: ProjectRow) {
  const labels = (await labelsOf(tx, 'Issue', [row.id])).get(row.id) ?? []
  const titles = labels.map(({ title }) => title)
  const usable = await usableLabels(tx, ownerOf(target), titles)
  return labels.flatMap(({ id, title }) => {
    const there = usable.get(title)
    return there ? [{ id, title, idThere: there.id }] : []
  })
}

/** The ids of the labels in another project, by those of the labels of an issue; labels that it lacks are absent. */
export async function labelsThere(tx: Tx, row: IssueRow, target: ProjectRow): Promise<Map<number, number>> {
  return new Map((await sharedLabels(tx, row, target)).map(({ id, idThere }) => [id, idThere]))
}

/** The titles of the labels of an issue that another project has too. */
export async function labelTitlesThere(tx: Tx, row: IssueRow, target: ProjectRow): Promise<string[]> {
  return (await sharedLabels(tx, row, target)).map(({ title }) => title)
}

/** The milestone of another project, or of a group above it, with the title of the issue's. */
export async function milestoneThere(
  tx: Tx,
  { milestone_id: id }: IssueRow,
  target: ProjectRow,
): Promise<number | null> {
  const title = id === null ? undefined : (await milestonesByIds(tx, [id])).get(id)?.title
  if (title === undefined) return null
  return (await usableMilestonesTitled(tx, ownerOf(target), [title])).get(title)?.id ?? null
}

/** The assignees of an issue who can read issues of another project. */
export async function assigneesThere(platform: Platform, row: IssueRow, target: ProjectRow): Promise<number[]> {
  const { read: db } = platform.database
  return readersAmong(platform, db, target, (await assigneesOf(db, 'Issue', [row.id])).get(row.id) ?? [])
}

type Copying = {
  from: { row: IssueRow; project: Project }
  target: Project
  authorId: number
  plan: IssueDraft['plan']
}

/** Stores a copy of the columns of an issue in another project, open and without its notes and records. */
export async function copyColumns(
  platform: Platform,
  tx: Tx,
  { from: { row, project }, target, authorId, plan }: Copying,
  by: { actor: Actor; origin: ChangeOrigin },
): Promise<IssueRow> {
  const { title, confidential, issue_type, severity, due_date, weight, health_status, discussion_locked } = row
  const isElsewhere = project.id !== target.id
  const description =
    row.description !== null && isElsewhere ? withFullReferences(row.description, project.full_path) : row.description
  const draft: IssueDraft = {
    ...{ title, description, confidential, issue_type, severity, due_date, weight, health_status, discussion_locked },
    milestone_id: await milestoneThere(tx, row, target),
    ...{ authorId, plan },
  }
  return addIssue(platform, tx, target, draft, by)
}
