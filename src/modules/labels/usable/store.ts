import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'
import { belongsToOrAbove, type ProjectOrGroupRef } from '../../projects/index.ts'
import type { LabelRow, NewLabelRow } from '../tables.ts'

/** Labels of one statement: their columns are parameters of the query. */
const insertedAtOnce = 500

/** These labels, by id. */
export async function labelsByIds(db: Reader, ids: readonly number[]): Promise<Map<number, LabelRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('labels')
    .selectAll()
    .where(within(db, 'id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * The labels with these titles that a project or group has or inherits, by title. Of labels with one title the nearest
 * counts: that of the project, else that of the nearest group (contract 17, "Rules").
 */
export async function usableLabels(
  db: Reader,
  parent: ProjectOrGroupRef,
  titles: readonly string[],
): Promise<Map<string, LabelRow>> {
  if (titles.length === 0) return new Map()
  const rows = await db
    .selectFrom('labels')
    .leftJoin('namespace_ancestors', (join) =>
      join
        .onRef('namespace_ancestors.ancestor_id', '=', 'labels.namespace_id')
        .on('namespace_ancestors.namespace_id', '=', parent.namespaceId),
    )
    .selectAll('labels')
    .where(belongsToOrAbove(db, 'labels', parent))
    .where(within(db, 'labels.title', [...new Set(titles)]))
    .orderBy((eb) => eb.fn.coalesce('namespace_ancestors.depth', eb.lit(-1)), 'desc')
    .execute()
  return new Map(rows.map((row) => [row.title, row]))
}

/** Of these labels those that a project or group neither has nor inherits. */
export async function unusableLabels(
  db: Reader,
  parent: ProjectOrGroupRef,
  ids: readonly number[],
): Promise<LabelRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('labels')
    .selectAll()
    .where(within(db, 'labels.id', [...new Set(ids)]))
    .where(sql<boolean>`${belongsToOrAbove(db, 'labels', parent)} is not true`)
    .orderBy('id')
    .execute()
}

/** Inserts labels; those whose title their project or group has already are left out. */
export async function insertMissing(tx: Tx, labels: readonly NewLabelRow[]): Promise<void> {
  for (let from = 0; from < labels.length; from += insertedAtOnce) {
    await tx
      .insertInto('labels')
      .values(labels.slice(from, from + insertedAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** The priorities of these labels in a project; labels without one are absent. */
export async function prioritiesOf(
  db: Reader,
  projectId: number,
  labelIds: readonly number[],
): Promise<Map<number, number>> {
  if (labelIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('label_priorities')
    .select(['label_id', 'priority'])
    .where('project_id', '=', projectId)
    .where(within(db, 'label_id', labelIds))
    .execute()
  return new Map(rows.map(({ label_id, priority }) => [label_id, priority]))
}

/** Sets the priority of a label in a project. */
export async function setPriority(tx: Tx, projectId: number, labelId: number, priority: number): Promise<void> {
  await tx
    .insertInto('label_priorities')
    .values({ project_id: projectId, label_id: labelId, priority })
    .onConflict((conflict) => conflict.columns(['project_id', 'label_id']).doUpdateSet({ priority }))
    .execute()
}

export async function deletePriority(tx: Tx, projectId: number, labelId: number): Promise<void> {
  await tx.deleteFrom('label_priorities').where('project_id', '=', projectId).where('label_id', '=', labelId).execute()
}

/** Gives a project's priority of labels to the labels that replace them in it. @param replaced new ids by former ids */
export async function movePriorities(tx: Tx, projectId: number, replaced: ReadonlyMap<number, number>): Promise<void> {
  const priorities = await prioritiesOf(tx, projectId, [...replaced.keys()])
  if (priorities.size === 0) return
  const former = [...priorities.keys()]
  const rows = former.map((id) => ({
    project_id: projectId,
    label_id: replaced.get(id) ?? id,
    priority: priorities.get(id) ?? 0,
  }))
  await tx
    .deleteFrom('label_priorities')
    .where('project_id', '=', projectId)
    .where(within(tx, 'label_id', former))
    .execute()
  await tx
    .insertInto('label_priorities')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes the priorities of labels that a project, or all projects below a group, neither have nor inherit any more. */
export async function deleteUnusablePriorities(
  tx: Tx,
  moved: { projectId: number } | { groupId: number },
): Promise<void> {
  const projects =
    'projectId' in moved
      ? sql`${moved.projectId}`
      : sql`select id from projects where namespace_id in ${subtreeOf(moved.groupId)}`
  await sql`delete from label_priorities where project_id in (${projects}) and not exists (
    select 1 from labels join projects on projects.id = label_priorities.project_id
    where labels.id = label_priorities.label_id and (labels.project_id = projects.id or labels.namespace_id in (
      select ancestor_id from namespace_ancestors where namespace_ancestors.namespace_id = projects.namespace_id)))`.execute(
    tx,
  )
}
