import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'
import { type Owner, ownerOf } from '../core/portable.ts'
import type { ExportRow } from '../tables.ts'

/** The groups at or below a group that have exports. */
export async function groupsWithExports(db: Reader, groupId: number): Promise<number[]> {
  const query = db.selectFrom('relation_exports').select('namespace_id').distinct()
  const rows = await query.where('namespace_id', 'in', subtreeOf(groupId)).execute()
  return rows.map(({ namespace_id: id }) => id as number)
}

/** Those of these runs whose files are recorded, or are being written. */
export async function knownRuns(db: Reader, runs: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('relation_exports')
    .select('run')
    .where(within(db, 'run', runs))
    .execute()
  return new Set(rows.flatMap(({ run }) => run ?? []))
}

/** Finished exports since before a time whose files are stored; at most `limit`. */
export async function expiredExports(db: Reader, before: string, limit: number): Promise<ExportRow[]> {
  const query = db.selectFrom('relation_exports').selectAll().where('status', '=', 1).where('run', 'is not', null)
  return query.where('updated_at', '<', before).orderBy('updated_at').limit(limit).execute()
}

/** Forgets the run of a finished export. @returns whether it was still the given one */
export async function expire(tx: Tx, { id, run }: Pick<ExportRow, 'id' | 'run'>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('relation_exports')
    .set({ run: null })
    .where('id', '=', id)
    .where('run', '=', run)
    .where('status', '=', 1)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Projects and groups with unfinished exports of which none has progressed since a time; at most `limit`. */
export async function stalledOwners(db: Reader, before: string, limit: number): Promise<Owner[]> {
  const isAlone = sql<boolean>`not exists (select 1 from relation_exports o where o.updated_at >= ${before}
    and (o.project_id = e.project_id or o.namespace_id = e.namespace_id))`
  const rows = await db
    .selectFrom('relation_exports as e')
    .select(['e.project_id', 'e.namespace_id'])
    .where('e.status', '=', 0)
    .where('e.updated_at', '<', before)
    .where(isAlone)
    .distinct()
    .limit(limit)
    .execute()
  return rows.map(ownerOf)
}

/** Fails unfinished exports. */
export async function failExports(tx: Tx, ids: readonly number[], error: string, at: string): Promise<void> {
  const changes = { status: -1 as const, error, run: null, objects_count: 0, updated_at: at }
  await tx
    .updateTable('relation_exports')
    .set(changes)
    .where(within(tx, 'id', ids))
    .execute()
}
