import { sql } from 'kysely'
import { idOf, type ListQuery, rowsOn, unindexed, within } from '../../../../infra/database/index.ts'
import type { IssuableContext } from '../context.ts'
import { inProject } from './filters/linked.ts'

/** How many issuables of a state have a label. */
export type LabelStateCount = { label_id: number; state: string; count: number }

/** Counts the issuables of a list with each of these labels, by state. */
export async function countByLabel(
  context: IssuableContext,
  query: ListQuery,
  labelIds: readonly number[],
): Promise<LabelStateCount[]> {
  const { db, type, table } = context
  // Found by the labels: most issuables have one of the types.
  const on = sql<boolean>`${unindexed(db, 'linked.issuable_type')} = ${sql.lit(type)}
    ${inProject(context, 'linked.project_id')} and linked.issuable_id = ${idOf(context)}
    and ${within(db, 'linked.label_id', labelIds)}`
  const rows = rowsOn(context, { ...query, driving: { table: sql`issuable_labels linked`, on } }, {})
  const state = sql.ref(`${table}.state`)
  const counts = sql<LabelStateCount>`select linked.label_id, ${state} as state, count(*) as count ${rows}
    group by linked.label_id, ${state}`
  const found = (await db.executeQuery(counts.compile(db as never))).rows
  return found.map((row) => ({ ...row, count: Number(row.count) }))
}
