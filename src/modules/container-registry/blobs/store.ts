import { sql } from 'kysely'
import { acquireLock, locked, prepareQuery, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { RegistryBlobRow } from '../tables.ts'
import type { Digest } from './digest.ts'

/** A blob as one repository has it. */
export type LinkedBlob = Pick<RegistryBlobRow, 'id' | 'digest' | 'size_bytes'> & {
  /** When the link was last used; the grace period of the link begins here. */
  used_at: string
}

const linked = prepareQuery((db, { repositoryId, digest }: { repositoryId: number; digest: string }) =>
  db
    .selectFrom('registry_blobs as b')
    .innerJoin('registry_blob_links as l', 'l.blob_id', 'b.id')
    .select(['b.id', 'b.digest', 'b.size_bytes', 'l.used_at'])
    .where('b.digest', '=', digest)
    .where('l.repository_id', '=', repositoryId),
)

/** A blob of a repository; null when the repository has no link to it. */
export async function linkedBlob(db: Reader, repositoryId: number, digest: Digest): Promise<LinkedBlob | null> {
  const [row] = await linked(db, { repositoryId, digest })
  return row ?? null
}

/** Like `linkedBlob`. The link cannot be changed or removed by others until the transaction ends. */
export async function holdLink(tx: Tx, repositoryId: number, digest: Digest): Promise<LinkedBlob | null> {
  const found = await linkedBlob(tx, repositoryId, digest)
  if (!found) return found
  const query = tx.selectFrom('registry_blob_links').select('used_at').where('repository_id', '=', repositoryId)
  const held = await locked(tx, query.where('blob_id', '=', found.id)).executeTakeFirst()
  return held ? { ...found, used_at: held.used_at } : null
}

/** Inserts the row of a stored blob, or begins its grace period again. @returns its id; the row is locked */
export async function upsertBlob(
  tx: Tx,
  { digest, sizeBytes, now }: { digest: Digest; sizeBytes: number; now: string },
): Promise<number> {
  const { id } = await tx
    .insertInto('registry_blobs')
    .values({ digest, size_bytes: sizeBytes, used_at: now, created_at: now })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ used_at: now }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Links a blob to a repository, or begins the grace period of its link again. The caller holds the blob's row or a link. */
export async function upsertLink(tx: Tx, repositoryId: number, blobId: number, now: string): Promise<void> {
  await tx
    .insertInto('registry_blob_links')
    .values({ repository_id: repositoryId, blob_id: blobId, used_at: now })
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'blob_id']).doUpdateSet({ used_at: now, released_at: null }),
    )
    .execute()
}

/** Begins the grace period of a blob and of its link again (contract 02 R10). @returns false when the link is gone */
export async function renewLink(tx: Tx, repositoryId: number, blobId: number, now: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('registry_blob_links')
    .set({ used_at: now, released_at: null })
    .where('repository_id', '=', repositoryId)
    .where('blob_id', '=', blobId)
    .executeTakeFirst()
  await tx.updateTable('registry_blobs').set({ used_at: now }).where('id', '=', blobId).execute()
  return numUpdatedRows > 0n
}

/** Whether a manifest of the repository needs the blob. */
export async function isNeededByManifest(db: Reader, repositoryId: number, blobId: number): Promise<boolean> {
  const found = await db
    .selectFrom('registry_manifest_blobs')
    .select('manifest_id')
    .where('blob_id', '=', blobId)
    .where('repository_id', '=', repositoryId)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Removes a link, and begins the grace period of the blob. */
export async function deleteLink(tx: Tx, repositoryId: number, blobId: number, now: string): Promise<void> {
  await tx
    .deleteFrom('registry_blob_links')
    .where('repository_id', '=', repositoryId)
    .where('blob_id', '=', blobId)
    .execute()
  await tx.updateTable('registry_blobs').set({ used_at: now, is_referenced: false }).where('id', '=', blobId).execute()
}

/** Serialises the commits of a blob's content with its deletion, until the transaction ends. */
export function lockDigest(tx: Tx, digest: Digest): Promise<void> {
  return acquireLock(tx, `registry_blob:${digest}`)
}

/** Whether a blob has this digest, or an upload is about to become one. */
export async function isDigestUsed(db: Reader, digest: Digest): Promise<boolean> {
  // One query: between two an upload might become a blob.
  const found = await db
    .selectFrom('registry_blobs')
    .select('digest')
    .where('digest', '=', digest)
    .unionAll(
      db.selectFrom('registry_uploads').select('digest').where('digest', '=', digest).$castTo<{ digest: string }>(),
    )
    .execute()
  return found.length > 0
}

/** A batch of all blobs, by id. @param id the last id of the batch before */
export async function blobsAfter(
  db: Reader,
  id: number,
  limit: number,
): Promise<Pick<RegistryBlobRow, 'id' | 'digest' | 'size_bytes'>[]> {
  return db
    .selectFrom('registry_blobs')
    .select(['id', 'digest', 'size_bytes'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The size of all blobs, and of all links to them: what repositories would need without sharing. In bytes. */
export async function totalSizes(db: Reader): Promise<{ stored: number; linked: number }> {
  const links = db
    .selectFrom('registry_blob_links')
    .select((eb) => ['blob_id', eb.fn.countAll<number>().as('links')])
    .groupBy('blob_id')
    .as('l')
  const sizes = await db
    .selectFrom('registry_blobs as b')
    .leftJoin(links, 'l.blob_id', 'b.id')
    .select([
      sql<number>`coalesce(sum(b.size_bytes), 0)`.as('stored'),
      sql<number>`coalesce(sum(b.size_bytes * l.links), 0)`.as('linked'),
    ])
    .executeTakeFirstOrThrow()
  return { stored: Number(sizes.stored), linked: Number(sizes.linked) }
}
