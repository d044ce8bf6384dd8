import { type RawBuilder, sql } from 'kysely'
import { within } from '../../../../infra/database/index.ts'
import { type ListContext, type Selection, selected } from '../../../issuables/index.ts'

/** How many issues in each state have a label. */
export type LabelStateCount = { label_id: number; state: 'opened' | 'closed'; count: number }

/** Counts the issues of a list with each of these labels, by state. */
export async function countByLabel(
  context: ListContext,
  selection: Selection,
  labelIds: readonly number[],
): Promise<LabelStateCount[]> {
  const { db, target } = context
  const linked: RawBuilder<boolean> = sql<boolean>`linked.issuable_type = ${sql.lit(target.type)}
    and linked.issuable_id = issues.id and ${within(db, 'linked.label_id', labelIds)}`
  const joined = { ...selection, first: { table: sql`issuable_labels linked`, on: linked } }
  const query = sql<LabelStateCount>`select linked.label_id, issues.state, count(*) as count
    ${selected(context, joined, { ids: null })} group by linked.label_id, issues.state`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}
