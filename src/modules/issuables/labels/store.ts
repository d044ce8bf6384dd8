import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { columnsOf, type IssuableRef, type IssuableType } from '../issuable.ts'
import { refersTo, refersToAny } from '../store.ts'
import type { LabelRef } from './scopes.ts'

/** The labels of each of these issuables, by title; in one query. Issuables without labels are absent. */
export async function labelsOf(
  db: Reader,
  type: IssuableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, LabelRef[]>> {
  if (ids.length === 0) return new Map()
  const query = sql<LabelRef & { issuable_id: number }>`
    select issuable_id, labels.id, labels.title from issuable_labels
    join labels on labels.id = label_id
    where ${refersToAny(db, type, ids)} order by labels.title, labels.id`
  const { rows } = await query.execute(db as never)
  const grouped = Map.groupBy(rows, ({ issuable_id }) => issuable_id)
  return new Map([...grouped].map(([id, labels]) => [id, labels.map(({ id, title }) => ({ id, title }))]))
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
