import { type RawBuilder, sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import {
  escapeLike,
  findsText,
  type PredicateUse,
  type Reader,
  unindexed,
  within,
} from '../../../../infra/database/index.ts'
import { isAmong } from '../../../access/index.ts'
import { haveAttributes } from '../../../custom-attributes/index.ts'
import {
  isReached,
  matchesSearch,
  type NamespaceQuery,
  type NamespaceRow,
  possibleIds,
  type Visibility,
} from '../../../namespaces/index.ts'
import type { Viewer } from '../viewer.ts'

/** As a literal, so that PostgreSQL knows that the index of groups has them. */
const isGroup = sql<boolean>`namespaces.kind = 'group'`

/** All groups that are not hidden, visible to the caller or not. @param search only those that match it */
export function allGroups(db: Reader, search?: string): NamespaceQuery {
  const all = db.selectFrom('namespaces').where(isGroup).where('pending_delete', '=', false)
  return search ? all.where(matchesSearch(search)) : all
}

/** The groups among namespaces that the condition finds; the plus keeps SQLite from reading all groups instead. */
export function groupsAmong(db: Reader, found: RawBuilder<boolean>): NamespaceQuery {
  const groups = db
    .selectFrom('namespaces')
    .where(found)
    .where(sql<boolean>`${unindexed(db, 'namespaces.kind')} = 'group'`)
  return groups.where('pending_delete', '=', false)
}

/** All groups that are not hidden, for lists by id: SQLite reads them in this order by an index, up to the end of a page. */
function allGroupsById(db: Reader): NamespaceQuery {
  if (db.engine === 'postgres') return allGroups(db)
  return groupsAmong(db, sql<boolean>`case when kind = 'user' then 0 else 1 end = 1`)
}

/**
 * The groups that match a search, found by the index of texts where it has few of them. All groups without a search.
 * @returns byId: the same groups, to be read by id
 */
export async function groupsMatching(
  db: Reader,
  search: string | undefined,
): Promise<{ groups: NamespaceQuery; byId: NamespaceQuery }> {
  if (!search) return { groups: allGroups(db), byId: allGroupsById(db) }
  const found = await findsText(db, 'namespaces', search)
  const groups = found ? groupsAmong(db, found).where(matchesSearch(search)) : allGroups(db, search)
  return { groups, byId: groups }
}

/** Those of these groups that are not hidden, by id. */
export async function groupsByIds(db: Reader, ids: readonly number[]): Promise<Map<number, NamespaceRow>> {
  const query = allGroups(db)
    .selectAll('namespaces')
    .where(within(db, 'namespaces.id', ids))
  return new Map((await query.execute()).map((row) => [row.id, row]))
}

/** Whether the caller may see a group: `canSeeGroup` for sets. Without a use it tests groups that are found otherwise. */
export function isVisibleTo(
  db: Reader,
  { actor, roles, open }: Viewer,
  use: PredicateUse = 'counts',
): RawBuilder<boolean> {
  if (isAdministrator(actor)) return sql<boolean>`1 = 1`
  return sql<boolean>`(namespaces.visibility in (${sql.join(open)}) or ${isReached(db, roles, 1, use)})`
}

/** Whether a condition holds for a group, or it is one of these. */
export function isOneOf(
  db: Reader,
  found: RawBuilder<boolean>,
  ids: readonly number[],
  use: PredicateUse,
): RawBuilder<boolean> {
  const id = use === 'drives' ? sql.ref('namespaces.id') : unindexed(db, 'namespaces.id')
  return sql<boolean>`(${found} or ${isAmong(db, id, ids, use)})`
}

/**
 * The ids of those of these groups that the caller may see. Each group is looked up: PostgreSQL would read all groups.
 * @param ids a query with the column `id`
 */
export function visibleAmong(db: Reader, viewer: Viewer, ids: RawBuilder<unknown>): RawBuilder<unknown> {
  const groups = (found: RawBuilder<boolean>) =>
    groupsAmong(db, found).where(isVisibleTo(db, viewer)).select('namespaces.id')
  if (db.engine === 'sqlite') return sql`${groups(sql`namespaces.id in (${ids})`)}`
  const one = groups(sql`namespaces.id = asked.id`).offset(0)
  return sql`select seen.id from (${ids}) asked cross join lateral (${one}) seen`
}

/** Filters that do not depend on the caller. */
type PlainFilter = {
  search?: string
  visibility?: Visibility
  skip_groups?: number[]
  top_level_only?: boolean
  repository_storage?: string
  custom_attributes?: Readonly<Record<string, string>>
  /** Whether many groups have the attributes. */
  hasCommonAttributes?: boolean
  marked_for_deletion_on?: string
}

/** Whether the repository of a group is in a storage. The groups that name one are few, and found by an index. */
function isStoredIn(storage: string): RawBuilder<boolean> {
  const named = sql`namespaces.settings ->> 'repository_storage'`
  // PostgreSQL expects few by a comparison, and would sort all: of a case it expects half.
  if (storage === 'default')
    return sql<boolean>`case when coalesce(${named}, 'default') = 'default' then 1 = 1 else 1 = 0 end`
  return sql<boolean>`(${named} = ${storage} and ${named} is not null)`
}

/** Of these groups those that match the filters. */
export function filtered(db: Reader, chosen: NamespaceQuery, filter: PlainFilter): NamespaceQuery {
  let query = chosen
  const { search, visibility, repository_storage: storage, marked_for_deletion_on: day } = filter
  const skipped = possibleIds(filter.skip_groups ?? [])
  const attributes = haveAttributes('group', filter.custom_attributes ?? {}, filter.hasCommonAttributes)
  for (const condition of attributes) query = query.where(condition)
  if (search) query = query.where(matchesSearch(search))
  if (visibility) query = query.where('visibility', '=', visibility)
  if (filter.top_level_only) query = query.where('parent_id', 'is', null)
  if (day) query = query.where('marked_for_deletion_on', '=', day)
  if (storage) query = query.where(isStoredIn(storage))
  if (skipped.length > 0) query = query.where(sql<boolean>`not ${within(db, 'namespaces.id', skipped)}`)
  return query
}

export const groupOrders = ['name', 'path', 'id', 'similarity'] as const

export type GroupOrder = { order_by?: (typeof groupOrders)[number]; sort?: 'asc' | 'desc'; search?: string }

/** Similarity of a group to a search: 0 equal, 1 prefix, 2 contained. */
function distance(search: string) {
  const text = search.toLowerCase()
  const beginning = `${escapeLike(text)}%`
  return sql`case
    when lower(namespaces.name) = ${text} or lower(namespaces.path) = ${text} then 0
    when lower(namespaces.name) like ${beginning} escape '\\' or lower(namespaces.path) like ${beginning} escape '\\' then 1
    else 2 end`
}

/** Orders groups; ties by id, ascending (contract 21, x.groups_list). */
export function inOrder({ order_by: by = 'name', sort = 'asc', search }: GroupOrder) {
  return (query: NamespaceQuery): NamespaceQuery => {
    if (by === 'id') return query.orderBy('namespaces.id', sort)
    if (by === 'similarity' && search) {
      return query.orderBy(distance(search)).orderBy('namespaces.name').orderBy('namespaces.id')
    }
    const column = by === 'path' ? 'namespaces.path' : 'namespaces.name'
    return query.orderBy(column, sort).orderBy('namespaces.id')
  }
}
