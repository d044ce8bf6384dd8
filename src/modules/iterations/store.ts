import { sql } from 'kysely'
import { type Reader, within } from '../../infra/database/index.ts'
import { belongsToGroupOrAbove } from '../projects/index.ts'
import type { IterationRow } from './tables.ts'

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

/** An iteration of a group or of a group above it; null for any other (contract 16, x.issue_update). */
export async function usableIteration(db: Reader, groupId: number, id: number): Promise<IterationRow | null> {
  const query = allIterations(db).where('iterations.id', '=', id)
  return (await query.where(belongsToGroupOrAbove(db, 'iterations', groupId)).executeTakeFirst()) ?? null
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
