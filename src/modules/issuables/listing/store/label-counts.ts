import { type RawBuilder, sql } from 'kysely'
import { unindexed, within } from '../../../../infra/database/index.ts'
import { type ListContext, rowId } from './filter.ts'
import type { Selection } from './selection.ts'
import { selected } from './ways.ts'

/** How many issuables of a state have a label. */
export type LabelStateCount = { label_id: number; state: string; count: number }

/** Counts the issuables of a list with each of these labels, by state. */
export async function countByLabel(
  context: ListContext,
  selection: Selection,
  labelIds: readonly number[],
): Promise<LabelStateCount[]> {
  const { db, target, projectId } = context
  const inProject = projectId === undefined ? sql`` : sql`and linked.project_id = ${projectId}`
  // Found by the labels: most issuables have one of the types.
  const type = unindexed(db, 'linked.issuable_type')
  const linked: RawBuilder<boolean> = sql<boolean>`${type} = ${sql.lit(target.type)} ${inProject}
    and linked.issuable_id = ${rowId(context)} and ${within(db, 'linked.label_id', labelIds)}`
  const joined = { ...selection, first: { table: sql`issuable_labels linked`, on: linked } }
  const state = sql.ref(`${target.table}.state`)
  const query = sql<LabelStateCount>`select linked.label_id, ${state} as state, count(*) as count
    ${selected(context, joined, { ids: null })} group by linked.label_id, ${state}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}
