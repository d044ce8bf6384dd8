import { sql, type Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import {
  acquireLock,
  anyContains,
  type Condition,
  findsText,
  locked,
  type Reader,
  rows,
  type Tx,
  unindexed,
  within,
} from '../../../infra/database/index.ts'
import { nextInternalId } from '../../../platform/internal-ids/index.ts'
import { isSelected } from '../../access/index.ts'
import { belongsToGroupOrAbove } from '../../projects/index.ts'
import { type IterationRow, type IterationsTable, iterations, type NewIterationRow } from '../tables.ts'
import type { IterationFilter } from './params.ts'

export const { remove: deleteIteration } = rows(iterations)

/** Iterations with the full paths of their groups. */
const allIterations = (db: Reader) =>
  db
    .selectFrom('iterations')
    .innerJoin('namespaces', 'namespaces.id', 'iterations.namespace_id')
    .selectAll('iterations')
    .select('namespaces.full_path as group_path')

/** These iterations, by id. */
export async function iterationsByIds(db: Reader, ids: readonly number[]): Promise<Map<number, IterationRow>> {
  if (ids.length === 0) return new Map()
  const rows = await allIterations(db)
    .where(within(db, 'iterations.id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** An iteration of the group itself. */
export async function ownIteration(db: Reader, groupId: number, id: number): Promise<IterationRow | null> {
  const query = allIterations(db).where('iterations.id', '=', id).where('iterations.namespace_id', '=', groupId)
  return (await query.executeTakeFirst()) ?? null
}

/** An iteration of a group or of a group above it; null for any other (contract 16, x.issue_update). */
export async function usableIteration(db: Reader, groupId: number, id: number): Promise<IterationRow | null> {
  const query = allIterations(db).where('iterations.id', '=', id)
  return (await query.where(belongsToGroupOrAbove(db, 'iterations', groupId)).executeTakeFirst()) ?? null
}

/** The iteration of a group or of a group above it with these days, that of the nearest group; null when there is none. */
export async function usableIterationOf(
  db: Reader,
  groupId: number,
  { start_date, due_date }: { start_date: string; due_date: string },
): Promise<number | null> {
  const found = await db
    .selectFrom('iterations')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'iterations.namespace_id')
    .select('iterations.id')
    .where('namespace_ancestors.namespace_id', '=', groupId)
    .where('iterations.start_date', '=', start_date)
    .where('iterations.due_date', '=', due_date)
    .orderBy('namespace_ancestors.depth')
    .orderBy('iterations.id')
    .executeTakeFirst()
  return found?.id ?? null
}

/** Keeps an iteration until the transaction ends: it is about to be stored with an issue. @returns false when it was deleted */
export async function keepIteration(tx: Tx, id: number): Promise<boolean> {
  const query = tx.selectFrom('iterations').select('id').where('id', '=', id)
  return (await locked(tx, query, 'key share').executeTakeFirst()) !== undefined
}

/** Locks these iterations until the transaction ends: no issue gets them meanwhile. */
export async function holdIterations(tx: Tx, ids: readonly number[]): Promise<void> {
  const query = tx
    .selectFrom('iterations')
    .select('id')
    .where(within(tx, 'iterations.id', ids))
    .orderBy('id')
  await locked(tx, query).execute()
}

/** Of these iterations those that neither belong to a group nor to a group above it. */
export async function unusableIterations(db: Reader, groupId: number, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const query = db
    .selectFrom('iterations')
    .select('iterations.id')
    .where(within(db, 'iterations.id', [...new Set(ids)]))
    .where(sql<boolean>`${belongsToGroupOrAbove(db, 'iterations', groupId)} is not true`)
  return (await query.orderBy('iterations.id').execute()).map(({ id }) => id)
}

/** Conditions for the state of an iteration on a day (contract 17, "Rules"). */
function hasState(state: IterationFilter['state'], today: string): Condition | null {
  if (state === 'upcoming') return sql<boolean>`iterations.start_date > ${today}`
  if (state === 'closed') return sql<boolean>`iterations.due_date < ${today}`
  if (state === 'opened') return sql<boolean>`iterations.due_date >= ${today}`
  if (state !== 'current' && state !== 'started') return null
  return sql<boolean>`(iterations.start_date <= ${today} and iterations.due_date >= ${today})`
}

const searched = { title: 'iterations.title', cadence_title: 'iteration_cadences.title' } as const

/** The groups whose iterations a list shows. */
function groupsOf(groupId: number, { include_ancestors: above = true, include_descendants: below }: IterationFilter) {
  const own = above
    ? sql`select ancestor_id from namespace_ancestors where namespace_id = ${groupId}`
    : sql`select id from namespaces where id = ${groupId}`
  return below ? sql`${own} union select namespace_id from namespace_ancestors where ancestor_id = ${groupId}` : own
}

/** The ids of the iterations of a search. @param found `findsText` */
function searchedIds(db: Reader, filter: IterationFilter, found: Condition | null) {
  const { search, in: names = [] } = filter
  const all = db.selectFrom('iterations').select('iterations.id')
  if (!search) return all
  const columns = (names.length > 0 ? names : (['title'] as const)).map((name) => searched[name])
  const matching = names.includes('cadence_title')
    ? all.innerJoin('iteration_cadences', 'iteration_cadences.id', 'iterations.cadence_id')
    : all
  const searching = matching.where(anyContains(columns, search))
  return found ? searching.where(found) : searching
}

/** A page of iterations by their first day (contract 17, x.iteration_list). */
export async function pageOfIterations(
  db: Reader,
  groupId: number,
  filter: IterationFilter,
  today: string,
  page: PageRequest,
): Promise<Page<IterationRow>> {
  const { search, in: names, updated_before: before, updated_after: after } = filter
  const found = search && !names?.includes('cadence_title') ? await findsText(db, 'iterations', search) : null
  const group = found ? unindexed(db, 'iterations.namespace_id') : sql.ref('iterations.namespace_id')
  let query = searchedIds(db, filter, found).where(isSelected(db, group, groupsOf(groupId, filter)))
  const state = hasState(filter.state, today)
  if (state) query = query.where(state)
  if (before) query = query.where('iterations.updated_at', '<=', before)
  if (after) query = query.where('iterations.updated_at', '>=', after)
  const ids = query.orderBy('iterations.start_date').orderBy('iterations.id')
  return pageOfIds(db, ids, page, (wanted) => iterationsByIds(db, wanted))
}

/** Makes transactions that change cadences or dates of iterations of a group wait for each other. */
export async function lockIterationsOf(tx: Tx, groupId: number): Promise<void> {
  await acquireLock(tx, `iterations:${groupId}`)
}

/** Whether an iteration of a cadence has a day in common with a period. */
export async function overlaps(
  db: Reader,
  cadenceId: number,
  { start_date, due_date }: { start_date: string; due_date: string },
  exceptId = 0,
): Promise<boolean> {
  const query = db
    .selectFrom('iterations')
    .select('id')
    .where('cadence_id', '=', cadenceId)
    .where('start_date', '<=', due_date)
    .where('due_date', '>=', start_date)
    .where('id', '<>', exceptId)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Whether a cadence has an iteration after a day. */
export async function hasLater(db: Reader, cadenceId: number, day: string): Promise<boolean> {
  const query = db.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId)
  return (await query.where('start_date', '>', day).limit(1).executeTakeFirst()) !== undefined
}

/** Inserts an iteration with the next iid of its group. `numberSequence` gives it its position in the cadence. */
export async function insertIteration(tx: Tx, row: Omit<NewIterationRow, 'iid' | 'sequence'>): Promise<number> {
  const iid = await nextInternalId(tx, { namespaceId: row.namespace_id }, 'iterations')
  const values = { ...row, iid, sequence: 0 }
  return (await tx.insertInto('iterations').values(values).returning('id').executeTakeFirstOrThrow()).id
}

export async function updateIteration(tx: Tx, id: number, changes: Updateable<IterationsTable>): Promise<void> {
  await tx.updateTable('iterations').set(changes).where('id', '=', id).execute()
}

/** Numbers the iterations of a cadence by date, from 1. */
export async function numberSequence(tx: Tx, cadenceId: number): Promise<void> {
  await sql`update iterations set sequence = ordered.position
    from (select id, row_number() over (order by start_date, id) as position
      from iterations where cadence_id = ${cadenceId}) as ordered
    where iterations.id = ordered.id and iterations.sequence <> ordered.position`.execute(tx)
}
