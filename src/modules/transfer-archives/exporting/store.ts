import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { columnOf, type Owner } from '../owner.ts'
import { type TransferExportRow, transferExports } from '../tables.ts'

export const { byId: exportById, insert: insertExport, update: updateExport } = rows(transferExports)

export async function exportOf(db: Reader, owner: Owner): Promise<TransferExportRow | null> {
  const query = db.selectFrom('transfer_exports').selectAll().where(columnOf(owner), '=', owner.id)
  return (await query.executeTakeFirst()) ?? null
}

/** Changes an export while a request is the current one. @returns whether it was */
export async function updateRequested(
  tx: Tx,
  { id, ticket }: { id: number; ticket: string },
  changes: Partial<Omit<TransferExportRow, 'id'>>,
): Promise<boolean> {
  const query = tx.updateTable('transfer_exports').set(changes).where('id', '=', id).where('ticket', '=', ticket)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

/** Exports whose archives were finished before a time; at most `limit`. */
export async function expiredExports(db: Reader, before: string, limit: number): Promise<TransferExportRow[]> {
  const query = db.selectFrom('transfer_exports').selectAll().where('finished_at', '<', before)
  return query.orderBy('finished_at').orderBy('id').limit(limit).execute()
}

/** Exports with an archive, after an id, in the order of the ids. */
export async function storedExports(db: Reader, afterId: number, limit: number): Promise<TransferExportRow[]> {
  const query = db.selectFrom('transfer_exports').selectAll().where('secret', 'is not', null).where('id', '>', afterId)
  return query.orderBy('id').limit(limit).execute()
}

/** Those of these secrets that an export has. */
export async function secretsOfExports(db: Reader, secrets: readonly string[]): Promise<string[]> {
  const query = db
    .selectFrom('transfer_exports')
    .select('secret')
    .where(within(db, 'secret', secrets))
  return (await query.execute()).flatMap(({ secret }) => secret ?? [])
}
