import { sql } from 'kysely'
import { locked, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { parseStorageKey, type StorageKey } from '../../../infra/objects/index.ts'
import { type PackageBlobRow, type PackageFileRow, packageBlobs, packageFiles } from '../tables.ts'
import type { Received } from './received.ts'

/** A file with its bytes. */
export type StoredFile = PackageFileRow &
  Pick<PackageBlobRow, 'sha256' | 'sha1' | 'md5' | 'sha512' | 'size_bytes' | 'storage_key'>

export const { insert: insertFileRow } = rows(packageFiles)
export const { portions: blobPortions } = rows(packageBlobs)

const stored = (db: Reader) =>
  db
    .selectFrom('package_files as f')
    .innerJoin('package_blobs as b', 'b.id', 'f.blob_id')
    .selectAll('f')
    .select(['b.sha256', 'b.sha1', 'b.md5', 'b.sha512', 'b.size_bytes', 'b.storage_key'])

/** Files of packages, for queries that restrict and order them by the columns of `f` and `b`. */
export const storedFiles = stored

/** A file of a package by its id. */
export async function fileOfPackage(db: Reader, packageId: number, id: number): Promise<StoredFile | null> {
  const query = stored(db).where('f.id', '=', id).where('f.package_id', '=', packageId)
  return (await query.executeTakeFirst()) ?? null
}

/** The newest file of a package with a name, which is the one that is served (contract 23 R5). */
export async function newestFile(db: Reader, packageId: number, fileName: string): Promise<StoredFile | null> {
  const query = stored(db).where('f.package_id', '=', packageId).where('f.file_name', '=', fileName)
  return (await query.orderBy('f.id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** Whether a package has a file of a name. */
export async function hasFile(db: Reader, packageId: number, fileName: string): Promise<boolean> {
  const query = db.selectFrom('package_files').select('id').where('package_id', '=', packageId)
  return (await query.where('file_name', '=', fileName).limit(1).executeTakeFirst()) !== undefined
}

/** Inserts the row of received bytes, or finds that of the same bytes, and locks it until the transaction ends. */
export async function holdBlob(tx: Tx, received: Received, now: string): Promise<PackageBlobRow> {
  const { sha256, sha1, md5, sha512, sizeBytes, key } = received
  return tx
    .insertInto('package_blobs')
    .values({ sha256, sha1, md5, sha512, size_bytes: sizeBytes, storage_key: key, created_at: now })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ orphaned_at: null }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Changes the storage key of bytes that were missing. */
export async function moveBlob(tx: Tx, id: number, key: string): Promise<void> {
  await tx.updateTable('package_blobs').set({ storage_key: key }).where('id', '=', id).execute()
}

export async function blobBySha256(db: Reader, sha256: string): Promise<PackageBlobRow | null> {
  return (await db.selectFrom('package_blobs').selectAll().where('sha256', '=', sha256).executeTakeFirst()) ?? null
}

/** Where the bytes of blobs are, by their ids; of those that there are. */
export async function packageBlobKeys(db: Reader, ids: readonly number[]): Promise<Map<number, StorageKey>> {
  const rows = await db
    .selectFrom('package_blobs')
    .select(['id', 'storage_key'])
    .where(within(db, 'package_blobs.id', ids))
    .execute()
  return new Map(rows.map((row) => [row.id, parseStorageKey(row.storage_key)]))
}

/** A batch of the files of a package. */
export async function filesOf(db: Reader, packageId: number, limit: number): Promise<PackageFileRow[]> {
  const query = db.selectFrom('package_files').selectAll().where('package_id', '=', packageId)
  return query.orderBy('id').limit(limit).execute()
}

const isLinked = sql<boolean>`exists (select 1 from package_files f where f.blob_id = package_blobs.id)`

/** Deletes files, and marks the bytes that no file has any more: their grace period begins. */
export async function deleteFiles(
  tx: Tx,
  files: readonly Pick<PackageFileRow, 'id' | 'blob_id'>[],
  now: string,
): Promise<number> {
  const ids = files.map(({ id }) => id)
  const { numDeletedRows } = await tx
    .deleteFrom('package_files')
    .where(within(tx, 'package_files.id', ids))
    .executeTakeFirst()
  const blobs = files.map(({ blob_id }) => blob_id)
  await markOrphansAmong(tx, blobs, now)
  return Number(numDeletedRows)
}

/** Marks those of some bytes that no file has. */
export async function markOrphansAmong(tx: Tx, blobIds: readonly number[], now: string): Promise<void> {
  await tx
    .updateTable('package_blobs')
    .set({ orphaned_at: now })
    .where(within(tx, 'package_blobs.id', [...new Set(blobIds)]))
    .where('orphaned_at', 'is', null)
    .where(sql<boolean>`not ${isLinked}`)
    .execute()
}

/** Ids of a batch of all bytes. @param id the last one of the batch before */
export async function blobIdsAfter(db: Reader, id: number, limit: number): Promise<{ id: number }[]> {
  return db.selectFrom('package_blobs').select('id').where('id', '>', id).orderBy('id').limit(limit).execute()
}

/** Deletes the rows of at most `limit` bytes that no file has had since `before`. @returns what was deleted */
export async function deleteOrphans(
  tx: Tx,
  before: string,
  limit: number,
): Promise<Pick<PackageBlobRow, 'id' | 'storage_key'>[]> {
  const query = tx.selectFrom('package_blobs').select('id').where('orphaned_at', '<=', before).orderBy('orphaned_at')
  const held = await locked(tx, query.limit(limit)).execute()
  if (held.length === 0) return []
  const ids = held.map(({ id }) => id)
  // Checked again under the lock: a file may have got them meanwhile.
  await tx
    .updateTable('package_blobs')
    .set({ orphaned_at: null })
    .where(within(tx, 'package_blobs.id', ids))
    .where(isLinked)
    .execute()
  return tx
    .deleteFrom('package_blobs')
    .where(within(tx, 'package_blobs.id', ids))
    .where(sql<boolean>`not ${isLinked}`)
    .returning(['id', 'storage_key'])
    .execute()
}

/** Those of the storage keys that belong to a row. */
export async function knownKeys(db: Reader, keys: readonly string[]): Promise<Set<string>> {
  const query = db.selectFrom('package_blobs').select('storage_key')
  const found = await query.where(within(db, 'package_blobs.storage_key', keys)).execute()
  return new Set(found.map(({ storage_key: key }) => key))
}

/** Files with their bytes, by id. */
export async function filesByIds(db: Reader, ids: readonly number[]): Promise<StoredFile[]> {
  return stored(db)
    .where(within(db, 'f.id', ids))
    .execute()
}

/** The files of packages beyond the newest ones of each name. @param range.keep so many of a name are left out */
export async function surplusFiles(
  db: Reader,
  packageIds: readonly number[],
  { keep, limit }: { keep: number; limit: number },
): Promise<StoredFile[]> {
  if (packageIds.length === 0) return []
  const ranked = sql<{ id: number }>`select ranked.id from (
      select package_files.id, row_number() over (
        partition by package_files.package_id, package_files.file_name order by package_files.id desc) as place
      from package_files where ${within(db, 'package_files.package_id', packageIds)}) ranked
    where ranked.place > ${keep} order by ranked.id limit ${limit}`
  const ids = (await ranked.execute(db as never)).rows.map(({ id }) => id)
  return ids.length === 0 ? [] : filesByIds(db, ids)
}
