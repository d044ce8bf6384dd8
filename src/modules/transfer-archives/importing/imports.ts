import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { columnsOf, type Owner } from '../owner.ts'
import { removeArchivesLater } from '../removal.ts'
import type { TransferImportRow } from '../tables.ts'
import * as store from './store.ts'

/** What is known of an import before it begins. */
export type NewImport = Pick<TransferImportRow, 'source' | 'correlation_id'> & {
  userId: number
  /** The random part of the key of the archive; null when it is not from an archive. */
  secret: string | null
}

/** Records an import into a project or group, which a job of the caller carries out. */
export function recordImport(
  { clock }: Platform,
  tx: Tx,
  owner: Owner,
  { userId, ...values }: NewImport,
): Promise<TransferImportRow> {
  const at = now(clock)
  const row = { ...columnsOf(owner), ...values, user_id: userId, error: null, created_at: at, updated_at: at }
  return store.insertImport(tx, row)
}

/** Marks an import as begun. @returns null when it is over already */
export function beginImport({ database, clock }: Platform, importId: number): Promise<TransferImportRow | null> {
  return database.write(async (tx) => {
    const row = await store.importById(tx, importId)
    if (!row || row.state === 'finished' || row.state === 'failed') return null
    return store.updateImport(tx, importId, { state: 'started', updated_at: now(clock) })
  })
}

/** Ends an import. Its archive is removed. @param error why it has failed; null when it is finished */
export async function endImport(platform: Platform, tx: Tx, importId: number, error: string | null): Promise<void> {
  const row = await store.importById(tx, importId)
  if (!row) return
  const state = error === null ? 'finished' : 'failed'
  await store.updateImport(tx, importId, { state, error, secret: null, updated_at: now(platform.clock) })
  await store.deleteProgress(tx, importId)
  if (row.secret !== null) await removeArchivesLater(platform, tx, [row.secret])
}

/** Records the archive of an import that was fetched from elsewhere. @returns false when there is one already, or the import is over */
export async function setArchive({ clock }: Platform, tx: Tx, importId: number, secret: string): Promise<boolean> {
  const row = await store.importById(tx, importId)
  if (!row || row.secret !== null || row.state !== 'started') return false
  await store.updateImport(tx, importId, { secret, updated_at: now(clock) })
  return true
}
