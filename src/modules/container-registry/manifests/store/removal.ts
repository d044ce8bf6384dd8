import { type RawBuilder, sql } from 'kysely'
import { acquireLock, type Reader, type Tx, within } from '../../../../infra/database/index.ts'

/** Serialises changes of the manifests and tags of a repository, until the transaction ends. */
export function lockManifests(tx: Tx, repositoryId: number): Promise<void> {
  return acquireLock(tx, `registry_manifests:${repositoryId}`)
}

/** Notes that a user deleted a tag on a manifest: the grace period begins again, and the manifest is looked at after it. */
export async function releaseManifest(tx: Tx, id: number, now: string): Promise<void> {
  await tx
    .updateTable('registry_manifests')
    .set({ released_at: now, is_referenced: false })
    .where('id', '=', id)
    .execute()
}

/** Notes that a manifest lost a tag to another: the grace period begins again, and the manifest is looked at after it. */
export async function replaceManifest(tx: Tx, id: number, now: string): Promise<void> {
  await tx
    .updateTable('registry_manifests')
    .set({ used_at: now, released_at: null, is_referenced: false })
    .where('id', '=', id)
    .execute()
}

/** Begins the grace period of a manifest again. @returns false when it is gone */
export async function renewManifest(tx: Tx, id: number, now: string): Promise<boolean> {
  const query = tx.updateTable('registry_manifests').set({ used_at: now, released_at: null }).where('id', '=', id)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

/** When those were released that were deleted: `now`, or when the deleted manifests were released themselves. */
function releasedBy(now: string | null, deleted: RawBuilder<unknown>): RawBuilder<string | null> {
  if (now !== null) return sql<string>`${now}`
  return sql`coalesce((select max(d.released_at) from registry_manifests d where d.id in (${deleted})), released_at)`
}

/** Whether the subject is one of the manifests. The first condition is that of the partial index, without which SQLite skips it. */
export const hasSubjectAmong = (db: Reader, ids: readonly number[]) => sql<boolean>`subject_digest is not null
  and (repository_id, subject_digest) in (
    select s.repository_id, s.digest from registry_manifests s where ${within(db, 's.id', ids)})`

/** Releases the manifests that indexes list, those whose subject they are, and the blobs that they need. */
async function releaseRelated(tx: Tx, ids: readonly number[], now: string | null): Promise<void> {
  const indexes = sql`select c.manifest_id from registry_manifest_children c
    where c.child_id = registry_manifests.id and ${within(tx, 'c.manifest_id', ids)}`
  const subjects = sql`select s.id from registry_manifests s
    where s.repository_id = registry_manifests.repository_id and s.digest = registry_manifests.subject_digest
    and ${within(tx, 's.id', ids)}`
  const users = sql`select r.manifest_id from registry_manifest_blobs r
    where r.repository_id = registry_blob_links.repository_id and r.blob_id = registry_blob_links.blob_id
    and ${within(tx, 'r.manifest_id', ids)}`
  const manifests = tx.updateTable('registry_manifests')
  await manifests
    .set({ released_at: releasedBy(now, indexes), is_referenced: false })
    .where(
      sql<boolean>`id in (select child_id from registry_manifest_children where ${within(tx, 'manifest_id', ids)})`,
    )
    .execute()
  await manifests
    .set({ released_at: releasedBy(now, subjects), is_referenced: false })
    .where(hasSubjectAmong(tx, ids))
    .execute()
  await tx
    .updateTable('registry_blob_links')
    .set({ released_at: releasedBy(now, users), is_referenced: false })
    .where(
      sql<boolean>`(repository_id, blob_id) in (
        select b.repository_id, b.blob_id from registry_manifest_blobs b where ${within(tx, 'b.manifest_id', ids)})`,
    )
    .execute()
}

/**
 * Deletes manifests with the tags on them. Garbage collection looks at the blobs that they needed, at the manifests that
 * they list, and at their referrers.
 * @param ids manifests of which none is listed by an index that is not among them
 * @param now when a user deletes them; null: nothing refers to them, and the grace period of what they refer to is theirs
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
