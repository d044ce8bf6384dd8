import type { Insertable } from 'kysely'
import { portionsOf, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import {
  type ExportFileRow,
  type ExportRow,
  type ExportState,
  type RelationExportsTable,
  relationExports,
} from '../tables.ts'
import type { Owner } from './portable.ts'

export const { byId: exportById } = rows(relationExports)

const columnOf = ({ kind }: Owner) => (kind === 'project' ? 'project_id' : 'namespace_id')

const ofOwner = (db: Reader, owner: Owner) =>
  db.selectFrom('relation_exports').selectAll().where(columnOf(owner), '=', owner.id)

/** The exports of a project or group, in any order. */
export function exportsOf(db: Reader, owner: Owner): Promise<ExportRow[]> {
  return ofOwner(db, owner).execute()
}

export async function exportOf(db: Reader, owner: Owner, relation: string): Promise<ExportRow | null> {
  return (await ofOwner(db, owner).where('relation', '=', relation).executeTakeFirst()) ?? null
}

/** The files of these exports, by number. */
export async function filesOf(db: Reader, exportIds: readonly number[]): Promise<ExportFileRow[]> {
  if (exportIds.length === 0) return []
  const query = db.selectFrom('relation_export_files').selectAll()
  return query
    .where(within(db, 'export_id', exportIds))
    .orderBy('export_id')
    .orderBy('number')
    .execute()
}

export async function fileOf(db: Reader, exportId: number, number: number): Promise<ExportFileRow | null> {
  const query = db.selectFrom('relation_export_files').selectAll().where('export_id', '=', exportId)
  return (await query.where('number', '=', number).executeTakeFirst()) ?? null
}

/** Puts off the time at which an unfinished export counts as stalled. */
export async function keepWaiting(tx: Tx, id: number, updated_at: string): Promise<void> {
  await tx.updateTable('relation_exports').set({ updated_at }).where('id', '=', id).where('status', '=', 0).execute()
}

/** What a request for exports sets. */
export type Request = Pick<ExportRow, 'ticket' | 'user_id' | 'updated_at'>

/** Inserts the exports of relations. */
export async function insertExports(
  tx: Tx,
  owner: Pick<ExportRow, 'project_id' | 'namespace_id'>,
  relations: readonly Pick<ExportRow, 'relation' | 'batched'>[],
  request: Request,
): Promise<void> {
  if (relations.length === 0) return
  const fresh = { status: 0, error: null, objects_count: 0, run: null, created_at: request.updated_at } as const
  const rows: Insertable<RelationExportsTable>[] = relations.map((relation) => ({
    ...{ ...owner, ...relation, ...fresh, ...request },
  }))
  await tx.insertInto('relation_exports').values(rows).execute()
}

/** Begins exports anew. Their files are deleted when their first run begins. */
export async function restartExports(
  tx: Tx,
  ids: readonly number[],
  request: Request & Pick<ExportRow, 'batched'>,
): Promise<void> {
  if (ids.length === 0) return
  const changes = { ...request, status: 0 as const, error: null, objects_count: 0 }
  await tx
    .deleteFrom('relation_export_files')
    .where(within(tx, 'export_id', ids))
    .execute()
  await tx
    .updateTable('relation_exports')
    .set(changes)
    .where(within(tx, 'id', ids))
    .execute()
}

/**
 * Begins a run of an export, unless it serves a former request.
 * @returns the row with the former run; null when there is nothing to do
 */
export async function beginRun(
  tx: Tx,
  { id, ticket, run, at }: { id: number; ticket: string; run: string; at: string },
): Promise<ExportRow | null> {
  const former = await exportById(tx, id)
  if (former?.status !== 0 || former.ticket !== ticket) return null
  const query = tx.updateTable('relation_exports').set({ run, updated_at: at }).where('id', '=', id)
  const { numUpdatedRows } = await query
    .where('ticket', '=', ticket)
    .where('status', '=', 0)
    .where((eb) => (former.run === null ? eb('run', 'is', null) : eb('run', '=', former.run)))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return null
  await tx.deleteFrom('relation_export_files').where('export_id', '=', id).execute()
  await tx.deleteFrom('relation_export_users').where('export_id', '=', id).execute()
  return former
}

/** A run of an export as its job knows it. */
export type Run = { id: number; ticket: string; run: string }

/** Changes an export while a run of it is the current one. @returns false when it is not */
export async function updateRun(
  tx: Tx,
  { id, ticket, run }: Run,
  changes: { updated_at: string; status?: ExportState; error?: string; objects_count?: number; run?: null },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('relation_exports')
    .set(changes)
    .where('id', '=', id)
    .where('ticket', '=', ticket)
    .where('run', '=', run)
    .where('status', '=', 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function insertFile(tx: Tx, file: ExportFileRow): Promise<void> {
  await tx.insertInto('relation_export_files').values(file).execute()
}

/** Marks the batches of a failed export. */
export async function failFiles(tx: Tx, exportId: number, error: string, at: string): Promise<void> {
  const changes = { status: -1 as const, error, updated_at: at }
  await tx.updateTable('relation_export_files').set(changes).where('export_id', '=', exportId).execute()
}

const rowsAtOnce = 500

/** Stores the users to whom the lines of an export refer. */
export async function insertUsers(tx: Tx, exportId: number, userIds: Iterable<number>): Promise<void> {
  for (const part of portionsOf([...userIds], rowsAtOnce)) {
    const rows = part.map((user_id) => ({ export_id: exportId, user_id }))
    await tx
      .insertInto('relation_export_users')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** The ids of users to whom the exports of a project or group refer, after an id, in order. */
export async function referencedUsers(db: Reader, owner: Owner, afterId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('relation_export_users as u')
    .innerJoin('relation_exports as e', 'e.id', 'u.export_id')
    .select('u.user_id')
    .where(`e.${columnOf(owner)}`, '=', owner.id)
    .where('u.user_id', '>', afterId)
    .distinct()
    .orderBy('u.user_id')
    .limit(limit)
    .execute()
  return rows.map(({ user_id }) => user_id)
}
