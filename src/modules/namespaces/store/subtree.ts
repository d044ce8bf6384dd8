import { type RawBuilder, sql } from 'kysely'
import { fewBeside, type Reader, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { NamespaceRow, Visibility } from '../tables.ts'
import { levelsAbove } from '../visibility.ts'

/** Sub-query with the ids of a namespace and of everything below it. */
export function subtreeOf(id: number): RawBuilder<number> {
  return sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${id})`
}

/**
 * Whether the groups below a group are so many, beside the rows of a table, that these are read in the order of a list, and the group
 * of each is tested. Else the groups find the rows.
 * @param perGroup as `rowsForOne` of `fewBeside`
 */
export async function hasManyBelow(db: Reader, id: number, table: 'epics', perGroup: number): Promise<boolean> {
  const most = fewBeside(table, perGroup)
  const query = sql`select 1 from namespace_ancestors where ancestor_id = ${id} limit 1 offset ${most}`
  return (await query.execute(db as never)).rows.length > 0
}

/**
 * The earliest deletion day among the marked ancestors (contract 21 R6). A namespace that was marked itself has an
 * `original_path`; everything below it inherits the day and has none.
 */
export const earliestMark = (namespaceId: string) => sql<string | null>`(
  select min(marked.marked_for_deletion_on) from namespace_ancestors a
  join namespaces marked on marked.id = a.ancestor_id and marked.original_path is not null
  where a.namespace_id = ${sql.ref(namespaceId)})`

/**
 * Ids of the projects, or of the groups, that were marked for deletion themselves on this day or before and are not hidden. No
 * namespace but a group is ever marked.
 */
export async function markedUntil(
  db: Reader,
  table: 'projects' | 'namespaces',
  day: string,
  limit: number,
): Promise<number[]> {
  // By the index of marks: ordered by the bare column, SQLite reads the whole table.
  const query = sql<{ id: number }>`select id from ${sql.table(table)}
    where original_path is not null and marked_for_deletion_on <= ${day} and pending_delete = ${false}
    order by +id limit ${limit}`
  const { rows } = await query.execute(db as never)
  return rows.map(({ id }) => id)
}

/** A group and the groups below it, each after its parent. */
export function groupTree(db: Reader, groupId: number): Promise<NamespaceRow[]> {
  return db
    .selectFrom('namespaces as n')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'n.id')
    .selectAll('n')
    .where('a.ancestor_id', '=', groupId)
    .where('n.pending_delete', '=', false)
    .orderBy('a.depth')
    .orderBy('n.id')
    .execute()
}

/** The day on which a namespace or an ancestor was marked for deletion; null when none was. */
export async function inheritedMark(db: Reader, namespaceId: number): Promise<string | null> {
  const query = db.selectFrom('namespaces').select(earliestMark('namespaces.id').as('day'))
  return (await query.where('id', '=', namespaceId).executeTakeFirst())?.day ?? null
}

/** Recomputes the inherited marks of everything below a namespace. */
export async function refreshMarks(platform: Platform, tx: Tx, namespaceId: number): Promise<void> {
  await sql`update namespaces set marked_for_deletion_on = ${earliestMark('namespaces.id')}
    where id in ${subtreeOf(namespaceId)} and original_path is null`.execute(tx)
  await react(platform, tx, 'namespace.marked', { namespaceId })
}

/** Whether a group at or above a namespace is archived itself (decision 0033). */
const isBelowArchived = (namespaceId: string) => sql<boolean>`exists (
  select 1 from namespace_ancestors a
  join namespaces above on above.id = a.ancestor_id and above.archived = true and above.archived_by_group = false
  where a.namespace_id = ${sql.ref(namespaceId)})`

/**
 * Archives the rows in a subtree that inherit it now, and unarchives those that no longer do (contract 26.18).
 * @param column names the namespace of a row
 */
export async function inheritArchived(
  tx: Tx,
  table: 'namespaces' | 'projects',
  column: 'namespaces.id' | 'projects.namespace_id',
  namespaceId: number,
): Promise<void> {
  const isInside = sql<boolean>`${sql.ref(column)} in ${subtreeOf(namespaceId)}`
  await sql`update ${sql.table(table)} set archived = true, archived_by_group = true
    where ${isInside} and archived = false and ${isBelowArchived(column)}`.execute(tx)
  await sql`update ${sql.table(table)} set archived = false, archived_by_group = false
    where ${isInside} and archived_by_group = true and not ${isBelowArchived(column)}`.execute(tx)
}

/** Computes again which of the groups and projects below a group are archived because it is. */
export async function refreshArchived(platform: Platform, tx: Tx, namespaceId: number): Promise<void> {
  await inheritArchived(tx, 'namespaces', 'namespaces.id', namespaceId)
  await react(platform, tx, 'namespace.archived', { namespaceId })
}

/** Hides a namespace and everything below it. */
export async function hideSubtree(platform: Platform, tx: Tx, namespaceId: number): Promise<void> {
  await sql`update namespaces set pending_delete = true where id in ${subtreeOf(namespaceId)}`.execute(tx)
  await react(platform, tx, 'namespace.hidden', { namespaceId })
}

/** Lowers the visibility of the namespaces of a subtree to at most this. */
export async function capVisibility(tx: Tx, id: number, visibility: Visibility): Promise<void> {
  if (visibility === 'public') return
  const query = tx.updateTable('namespaces').set({ visibility }).where('id', 'in', subtreeOf(id))
  await query.where('visibility', 'in', levelsAbove(visibility)).execute()
}
