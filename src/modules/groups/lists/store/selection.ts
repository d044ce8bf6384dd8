import { type RawBuilder, sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import {
  type Condition,
  isFound,
  lookUp,
  type PredicateUse,
  type Reader,
  within,
} from '../../../../infra/database/index.ts'
import { isReached, type NamespaceRow } from '../../../namespaces/index.ts'
import type { Viewer } from '../viewer.ts'

/** Groups that are not hidden, visible to the caller or not. As literals, so that PostgreSQL knows that its index has them. */
export const isListed = sql<boolean>`namespaces.kind = 'group' and namespaces.pending_delete = false`

/** Those of these groups that are not hidden, by id. */
export async function groupsByIds(db: Reader, ids: readonly number[]): Promise<Map<number, NamespaceRow>> {
  const query = db
    .selectFrom('namespaces')
    .selectAll()
    .where(isListed)
    .where(within(db, 'namespaces.id', ids))
  return new Map((await query.execute()).map((row) => [row.id, row]))
}

/**
 * Whether the caller may see a group: `canSeeGroup` for sets, but for what only projects below show. Without a use it tests groups that
 * are found otherwise.
 */
export function isVisibleTo(db: Reader, { actor, roles, open }: Viewer, use: PredicateUse = 'counts'): Condition {
  if (isAdministrator(actor)) return sql<boolean>`1 = 1`
  return sql<boolean>`(namespaces.visibility in (${sql.join(open)}) or ${isReached(db, roles, 1, use)})`
}

/** Whether an id is that of a group that the caller may see; it is looked up. */
export const isVisibleGroup = (db: Reader, viewer: Viewer, id: RawBuilder<unknown>): Condition =>
  isFound(db, sql`namespaces where namespaces.id = ${id} and ${isListed} and ${isVisibleTo(db, viewer, 'tests')}`)

/** The ids of the groups among those that a query finds. @param isWanted which groups: by default all that are not hidden */
export function lookUpGroups(db: Reader, ids: RawBuilder<unknown>, isWanted: Condition = isListed) {
  const condition = sql<boolean>`namespaces.id = asked.id and ${isWanted}`
  return sql`select namespaces.id from (${ids}) asked ${lookUp(db, 'namespaces', condition, sql`namespaces.id`)}`
}

/**
 * The ids of those of these groups that the caller may see.
 * @param ids a query with the column `id`
 */
export const visibleAmong = (db: Reader, viewer: Viewer, ids: RawBuilder<unknown>): RawBuilder<unknown> =>
  lookUpGroups(db, ids, sql<boolean>`${isListed} and ${isVisibleTo(db, viewer)}`)

/** Which of these ids are those of groups that the caller may see. */
export async function visibleGroupIds(db: Reader, viewer: Viewer, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const asked = sql`select id from namespaces where ${within(db, 'namespaces.id', ids)}`
  const { rows } = await sql<{ id: number }>`${visibleAmong(db, viewer, asked)}`.execute(db as never)
  return new Set(rows.map(({ id }) => id))
}
