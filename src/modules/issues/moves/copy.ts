import type { Actor } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { assigneesOf, type ChangeOrigin, labelsOf, ownerOf } from '../../issuables/index.ts'
import { usableLabels } from '../../labels/index.ts'
import { milestonesByIds, usableMilestonesTitled } from '../../milestones/index.ts'
import { noteTextsWith } from '../../notes/index.ts'
import type { Project, ProjectRow } from '../../projects/index.ts'
import { writeWithUploads } from '../../uploads/index.ts'
import { type Issue, issuableOf } from '../core/access.ts'
import { readersAmong } from '../core/assignable.ts'
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

/** The texts of an issue, with those of its notes when they are copied too, whose uploads are copied with it. */
async function* textsOf(db: Reader, row: IssueRow, withNotes: boolean): AsyncGenerator<string> {
  if (row.description !== null) yield row.description
  if (withNotes) yield* noteTextsWith(db, issuableOf(row), '/uploads/')
}

type Rewriting = (text: string) => string

/**
 * Writes a copy of an issue into another project, after the uploads to which its texts refer (contract 08, "Other parts").
 * @param write is given what replaces the references in a text
 */
export function writeCopy<Result>(
  platform: Platform,
  { issue: { row, project }, target, withNotes }: { issue: Issue; target: Project; withNotes: boolean },
  write: (tx: Tx, rewritten: Rewriting) => Promise<Result>,
): Promise<Result> {
  const owners = { from: { kind: 'project', id: project.id }, to: { kind: 'project', id: target.id } } as const
  return writeWithUploads(platform, textsOf(platform.database.read, row, withNotes), owners, write)
}

type Copying = {
  from: { row: IssueRow; project: Project }
  target: Project
  authorId: number
  plan: IssueDraft['plan']
  rewritten: Rewriting
}

/** Stores a copy of the columns of an issue in another project, open and without its notes and records. */
export async function copyColumns(
  platform: Platform,
  tx: Tx,
  { from: { row, project }, target, authorId, plan, rewritten }: Copying,
  by: { actor: Actor; origin: ChangeOrigin },
): Promise<IssueRow> {
  const { title, confidential, issue_type, severity, due_date, weight, health_status, discussion_locked } = row
  const isElsewhere = project.id !== target.id
  const description =
    row.description !== null && isElsewhere
      ? rewritten(withFullReferences(row.description, project.full_path))
      : row.description
  const draft: IssueDraft = {
    ...{ title, description, confidential, issue_type, severity, due_date, weight, health_status, discussion_locked },
    milestone_id: await milestoneThere(tx, row, target),
    ...{ authorId, plan },
  }
  return addIssue(platform, tx, target, draft, by)
}
