import type { Insertable } from 'kysely'
import { rows, type Tx } from '../../../infra/database/index.ts'
import { type RegistryUploadRow, type RegistryUploadsTable, registryUploads } from '../tables.ts'

export const { byId: uploadById } = rows(registryUploads)

export async function insertUpload(tx: Tx, upload: Insertable<RegistryUploadsTable>): Promise<void> {
  await tx.insertInto('registry_uploads').values(upload).execute()
}

/** Notes that an upload was used. */
export async function touchUpload(tx: Tx, id: string, now: string): Promise<void> {
  await tx.updateTable('registry_uploads').set({ used_at: now }).where('id', '=', id).execute()
}

/** Gives an upload its writer. @returns false when the upload has one already, or is gone */
export async function setUploadWriter(tx: Tx, id: string, writerId: string): Promise<boolean> {
  const query = tx.updateTable('registry_uploads').set({ writer_id: writerId }).where('id', '=', id)
  return (await query.where('writer_id', 'is', null).returning('id').executeTakeFirst()) !== undefined
}

/** Notes the digest under which the bytes of an upload will be stored. @returns false when the upload is gone */
export async function setUploadDigest(
  tx: Tx,
  id: string,
  { digest, now }: { digest: string; now: string },
): Promise<boolean> {
  const query = tx.updateTable('registry_uploads').set({ digest, used_at: now }).where('id', '=', id).returning('id')
  return (await query.executeTakeFirst()) !== undefined
}

/** @returns the upload; null when it was deleted before */
export async function deleteUploadRow(tx: Tx, id: string): Promise<RegistryUploadRow | null> {
  return (await tx.deleteFrom('registry_uploads').where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

const writersOf = (rows: readonly Pick<RegistryUploadRow, 'writer_id'>[]) =>
  rows.flatMap(({ writer_id: writerId }) => writerId ?? [])

/** Deletes at most `limit` uploads that were last used before a time. @returns their writers; null: there were none */
export async function deleteIdleUploads(tx: Tx, usedBefore: string, limit: number): Promise<string[] | null> {
  const idle = tx
    .selectFrom('registry_uploads')
    .select('id')
    .where('used_at', '<', usedBefore)
    .orderBy('used_at')
    .orderBy('id')
    .limit(limit)
  const rows = await tx
    .deleteFrom('registry_uploads')
    .where('id', 'in', idle)
    // Again: another transaction may have used it meanwhile.
    .where('used_at', '<', usedBefore)
    .returning('writer_id')
    .execute()
  return rows.length === 0 ? null : writersOf(rows)
}

/** Deletes the uploads of a repository. @returns their writers */
export async function deleteUploadsOf(tx: Tx, projectId: number, name: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('registry_uploads')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .returning('writer_id')
    .execute()
  return writersOf(rows)
}
