import { type RawBuilder, sql } from 'kysely'
import { type Condition, idOf, isFound, type Predicate, unindexed } from '../../../../../infra/database/index.ts'
import type { IssuableContext } from '../../context.ts'

/** The condition that a row of another table is of the project of the list; no text in lists of several projects. */
export const inProject = ({ parent }: IssuableContext, column: string): RawBuilder<unknown> =>
  parent ? sql`and ${sql.ref(column)} = ${parent.id}` : sql``

/**
 * Rows of the list to which rows of a table refer.
 * @param table has the columns `issuable_type` and `issuable_id`
 * @param condition of the rows, which are `linked`
 * @param isUnique whether at most one of an issuable meets it
 */
export function linkedBy(
  context: IssuableContext,
  table: string,
  condition: Condition = sql<boolean>`1 = 1`,
  isUnique = false,
): Predicate & Required<Pick<Predicate, 'driver'>> {
  const { db, parent } = context
  const type = sql.lit(context.type)
  const linked = sql`${sql.table(table)} linked where`
  const isOfRow = sql`linked.issuable_type = ${type} and linked.issuable_id = ${idOf(context)}`
  // Most issuables have one of the types, so what the condition names is looked up.
  const ids = sql`select ${sql.raw(isUnique ? '' : 'distinct')} linked.issuable_id as id from ${linked}
    ${unindexed(db, 'linked.issuable_type')} = ${type} ${inProject(context, 'linked.project_id')} and ${condition}`
  return {
    holds: isFound(db, sql`${linked} ${isOfRow} and ${condition}`),
    driver: { ids, isSufficient: true, isScoped: parent !== undefined },
  }
}

/** Rows of the list to which any row of a table refers; most of them, so that they are only tested. */
export const isLinked = (context: IssuableContext, table: string): Predicate => ({
  holds: linkedBy(context, table).holds,
})
