import { sql } from 'kysely'
import { acquireLock, type Tx, within } from '../../../../infra/database/index.ts'

/** Serialises changes of the manifests and tags of a repository, until the transaction ends. */
export function lockManifests(tx: Tx, repositoryId: number): Promise<void> {
  return acquireLock(tx, `registry_manifests:${repositoryId}`)
}

/** To be called when manifests lost a tag: the grace period begins again, and garbage collection looks at them after it. */
export async function releaseManifests(tx: Tx, ids: readonly number[], now: string): Promise<void> {
  await tx
    .updateTable('registry_manifests')
    .set({ released_at: now, is_referenced: false })
    .where(within(tx, 'id', ids))
    .execute()
}

/** Releases the manifests that indexes list, those whose subject they are, and the blobs that they need. */
async function releaseRelated(tx: Tx, ids: readonly number[], now: string | null): Promise<void> {
  const manifests = () =>
    tx.updateTable('registry_manifests').set({ released_at: now ?? sql<string>`used_at`, is_referenced: false })
  const children = sql`select child_id from registry_manifest_children where ${within(tx, 'manifest_id', ids)}`
  await manifests().where(sql<boolean>`id in (${children})`).execute()
  const subjects = sql`select s.repository_id, s.digest from registry_manifests s where ${within(tx, 's.id', ids)}`
  await manifests().where(sql<boolean>`(repository_id, subject_digest) in (${subjects})`).execute()
  const links = sql`select b.repository_id, b.blob_id from registry_manifest_blobs b
    where ${within(tx, 'b.manifest_id', ids)}`
  await tx
    .updateTable('registry_blob_links')
    .set({ released_at: now ?? sql<string>`used_at`, is_referenced: false })
    .where(sql<boolean>`(repository_id, blob_id) in (${links})`)
    .execute()
}

/**
 * Deletes manifests with the tags on them. Garbage collection looks at the blobs that they needed, at the manifests that
 * they list, and at their referrers.
 * @param ids manifests of which none is listed by an index that is not among them
 * @param now begins the grace period of the related manifests; null: they need none, as that of the deleted ones is over
 */
export async function deleteManifests(tx: Tx, ids: readonly number[], now: string | null): Promise<void> {
  await releaseRelated(tx, ids, now)
  await tx
    .deleteFrom('registry_tags')
    .where(within(tx, 'manifest_id', ids))
    .execute()
  await tx
    .deleteFrom('registry_manifest_children')
    .where(within(tx, 'manifest_id', ids))
    .execute()
  await tx
    .deleteFrom('registry_manifests')
    .where(within(tx, 'id', ids))
    .execute()
}

/**
 * Removes blobs from a repository that no manifest of it needs. Garbage collection looks at the blobs after the grace period.
 * @throws an error of the database for a blob that a manifest needs, by a foreign key
 */
export async function deleteLinks(
  tx: Tx,
  repositoryId: number,
  blobIds: readonly number[],
  now: string,
): Promise<void> {
  await tx
    .deleteFrom('registry_blob_links')
    .where('repository_id', '=', repositoryId)
    .where(within(tx, 'blob_id', blobIds))
    .execute()
  await tx
    .updateTable('registry_blobs')
    .set({ used_at: now, is_referenced: false })
    .where(within(tx, 'id', blobIds))
    .execute()
}
