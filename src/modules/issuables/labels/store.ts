import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { LabelRow } from '../../labels/index.ts'
import { columnsOf, type IssuableRef, type IssuableType } from '../issuable.ts'
import { refersTo, refersToAny } from '../store.ts'

/** The labels of each of these issuables, by title; in one query. Issuables without labels are absent. */
export async function labelsOf(
  db: Reader,
  type: IssuableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, LabelRow[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('issuable_labels')
    .innerJoin('labels', 'labels.id', 'issuable_labels.label_id')
    .selectAll('labels')
    .select('issuable_labels.issuable_id')
    .where(refersToAny(db, type, ids))
    .orderBy('labels.title')
    .orderBy('labels.id')
    .execute()
  const grouped = Map.groupBy(rows, ({ issuable_id }) => issuable_id)
  return new Map([...grouped].map(([id, labels]) => [id, labels.map(({ issuable_id, ...label }) => label)]))
}

export async function insertLabels(tx: Tx, target: IssuableRef, labelIds: readonly number[]): Promise<void> {
  if (labelIds.length === 0) return
  const rows = labelIds.map((label_id) => ({ ...columnsOf(target), label_id }))
  await tx.insertInto('issuable_labels').values(rows).execute()
}

export async function deleteLabels(tx: Tx, target: IssuableRef, labelIds: readonly number[]): Promise<void> {
  if (labelIds.length === 0) return
  await tx
    .deleteFrom('issuable_labels')
    .where(refersTo(target))
    .where(within(tx, 'label_id', labelIds))
    .execute()
}

/**
 * Replaces labels of issuables by one label, in the present labels and in the events, so that these still replay to those.
 * @param projectId only in this project
 */
export async function replaceLabels(
  tx: Tx,
  labelIds: readonly number[],
  intoId: number,
  projectId?: number,
): Promise<void> {
  const replaced = labelIds.filter((id) => id !== intoId)
  if (replaced.length === 0) return
  const scope = projectId === undefined ? sql`true` : sql`project_id = ${projectId}`
  const former = sql<boolean>`(${within(tx, 'label_id', replaced)} and ${scope})`
  await sql`insert into issuable_labels (issuable_type, issuable_id, project_id, group_id, label_id)
    select distinct issuable_type, issuable_id, project_id, group_id, cast(${intoId} as bigint) from issuable_labels
    where ${former} on conflict do nothing`.execute(tx)
  await tx.deleteFrom('issuable_labels').where(former).execute()
  await tx.updateTable('resource_label_events').set({ label_id: intoId }).where(former).execute()
}

/** The labels that the issuables of a project have. */
export async function labelsInUse(db: Reader, projectId: number): Promise<number[]> {
  const present = db.selectFrom('issuable_labels').select('label_id').where('project_id', '=', projectId)
  const rows = await present.distinct().orderBy('label_id').execute()
  return rows.map(({ label_id }) => label_id)
}
