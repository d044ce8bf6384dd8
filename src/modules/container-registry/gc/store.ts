import { type RawBuilder, sql } from 'kysely'
import { lockClause, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { Digest } from '../blobs/digest.ts'
import { deleteLinks, deleteManifests, lockManifests } from '../manifests/store/removal.ts'

/** When grace periods that are over began at the latest. */
export type Moments = {
  now: string
  /** What was used, untagged or unlinked before it may be collected, or at it. */
  before: string
  /** What a push may rely on must have been used before it. */
  pushedBefore: string
}

/** Whether a row was used long enough ago, or has no use since a user deleted what referred to it. */
const isSettled = (name: 'm' | 'l', { pushedBefore }: Moments) =>
  sql<boolean>`(${sql.ref(`${name}.used_at`)} <= ${pushedBefore} or ${sql.ref(`${name}.released_at`)} is not null)`

/** A manifest whose grace period is over. */
const manifestIsDue = (moments: Moments) => sql<boolean>`m.is_referenced = false and m.used_at <= ${moments.before}
  and (m.released_at is null or m.released_at <= ${moments.before}) and ${isSettled('m', moments)}`

/** A link whose grace period is over. It does not begin again with the removal of a manifest, which has had its own. */
const linkIsDue = (moments: Moments) => sql<boolean>`l.is_referenced = false and l.used_at <= ${moments.before}
  and ${isSettled('l', moments)}`

const blobIsDue = ({ before }: Moments) => sql<boolean>`b.is_referenced = false and b.used_at <= ${before}`

/** Something that needs the manifest: a tag, an index that lists it, its subject (contract 02 R10). */
const manifestIsReferenced: RawBuilder<boolean> = sql`(
  exists (select 1 from registry_tags t where t.manifest_id = m.id)
  or exists (select 1 from registry_manifest_children c where c.child_id = m.id)
  or exists (select 1 from registry_manifests s
    where s.repository_id = m.repository_id and s.digest = m.subject_digest))`

const linkIsReferenced: RawBuilder<boolean> = sql`exists (select 1 from registry_manifest_blobs r
  where r.repository_id = l.repository_id and r.blob_id = l.blob_id)`

const blobIsReferenced: RawBuilder<boolean> = sql`exists (select 1 from registry_blob_links r where r.blob_id = b.id)`

/** A row to be looked at. `repository_id`: 0 for a blob. `used_at` and `id` give its place in the order. */
export type Candidate = { repository_id: number; id: number; used_at: string }

const beginning: Candidate = { repository_id: 0, id: 0, used_at: '0001-01-01T00:00:00.000Z' }

/** The next manifests without a known reference whose grace period is over. */
export function dueManifests(db: Reader, moments: Moments, limit: number, after = beginning): Promise<Candidate[]> {
  return db
    .selectFrom('registry_manifests as m')
    .select(['m.repository_id', 'm.id', 'm.used_at'])
    .where(manifestIsDue(moments))
    .where(sql<boolean>`(m.used_at, m.id) > (${after.used_at}, ${after.id})`)
    .orderBy('m.used_at')
    .orderBy('m.id')
    .limit(limit)
    .execute()
}

/** Like `dueManifests`, for blobs of repositories; `id` is that of the blob. */
export function dueLinks(db: Reader, moments: Moments, limit: number, after = beginning): Promise<Candidate[]> {
  return db
    .selectFrom('registry_blob_links as l')
    .select(['l.repository_id', 'l.blob_id as id', 'l.used_at'])
    .where(linkIsDue(moments))
    .where(
      sql<boolean>`(l.used_at, l.repository_id, l.blob_id) > (${after.used_at}, ${after.repository_id}, ${after.id})`,
    )
    .orderBy('l.used_at')
    .orderBy('l.repository_id')
    .orderBy('l.blob_id')
    .limit(limit)
    .execute()
}

/** Like `dueManifests`, for blobs of the whole registry. */
export function dueBlobs(db: Reader, moments: Moments, limit: number, after = beginning): Promise<Candidate[]> {
  return db
    .selectFrom('registry_blobs as b')
    .select([sql<number>`0`.as('repository_id'), 'b.id', 'b.used_at'])
    .where(blobIsDue(moments))
    .where(sql<boolean>`(b.used_at, b.id) > (${after.used_at}, ${after.id})`)
    .orderBy('b.used_at')
    .orderBy('b.id')
    .limit(limit)
    .execute()
}

/** What another transaction uses is looked at later. */
const holding = (tx: Tx) => lockClause(tx, 'update skip locked')

async function idsOf(tx: Tx, query: RawBuilder<{ id: number }>): Promise<number[]> {
  return (await query.execute(tx)).rows.map(({ id }) => id)
}

/** Divides held rows by whether something refers to them. Asked after they were locked, so the answer lasts. */
async function divide(tx: Tx, held: readonly number[], referenced: RawBuilder<{ id: number }>) {
  const found = held.length === 0 ? [] : await idsOf(tx, referenced)
  const known = new Set(found)
  return { referenced: found, unreferenced: held.filter((id) => !known.has(id)) }
}

/** Deletes those of the manifests of a repository to which nothing refers, and marks the others. @returns how many */
export async function collectManifests(
  tx: Tx,
  repositoryId: number,
  ids: readonly number[],
  moments: Moments,
): Promise<number> {
  await lockManifests(tx, repositoryId)
  const held = await idsOf(
    tx,
    sql`select m.id from registry_manifests m where ${within(tx, 'm.id', ids)} and ${manifestIsDue(moments)} ${holding(tx)}`,
  )
  const { referenced, unreferenced } = await divide(
    tx,
    held,
    sql`select m.id from registry_manifests m where ${within(tx, 'm.id', held)} and ${manifestIsReferenced}`,
  )
  await tx
    .updateTable('registry_manifests')
    .set({ is_referenced: true })
    .where(within(tx, 'id', referenced))
    .execute()
  if (unreferenced.length > 0) await deleteManifests(tx, unreferenced, null)
  return unreferenced.length
}

/** Removes those of the blobs from a repository that no manifest of it needs, and marks the others. @returns how many */
export async function collectLinks(
  tx: Tx,
  repositoryId: number,
  blobIds: readonly number[],
  moments: Moments,
): Promise<number> {
  await lockManifests(tx, repositoryId)
  const ofRepository = sql`from registry_blob_links l where l.repository_id = ${repositoryId}`
  const held = await idsOf(
    tx,
    sql`select l.blob_id as id ${ofRepository} and ${within(tx, 'l.blob_id', blobIds)} and ${linkIsDue(moments)} ${holding(tx)}`,
  )
  const { referenced, unreferenced } = await divide(
    tx,
    held,
    sql`select l.blob_id as id ${ofRepository} and ${within(tx, 'l.blob_id', held)} and ${linkIsReferenced}`,
  )
  await tx
    .updateTable('registry_blob_links')
    .set({ is_referenced: true })
    .where('repository_id', '=', repositoryId)
    .where(within(tx, 'blob_id', referenced))
    .execute()
  if (unreferenced.length > 0) await deleteLinks(tx, repositoryId, unreferenced, moments.now)
  return unreferenced.length
}

/** A blob whose row was deleted. */
export type CollectedBlob = { digest: Digest; size_bytes: number }

/** Deletes those of the blobs that no repository has, and marks the others. */
export async function collectBlobs(tx: Tx, ids: readonly number[], moments: Moments): Promise<CollectedBlob[]> {
  const held = await idsOf(
    tx,
    sql`select b.id from registry_blobs b where ${within(tx, 'b.id', ids)} and ${blobIsDue(moments)} ${holding(tx)}`,
  )
  const { referenced, unreferenced } = await divide(
    tx,
    held,
    sql`select b.id from registry_blobs b where ${within(tx, 'b.id', held)} and ${blobIsReferenced}`,
  )
  await tx
    .updateTable('registry_blobs')
    .set({ is_referenced: true })
    .where(within(tx, 'id', referenced))
    .execute()
  const deleted = tx.deleteFrom('registry_blobs').where(within(tx, 'id', unreferenced))
  return (await deleted.returning(['digest', 'size_bytes']).execute()) as CollectedBlob[]
}

/** What one pass would remove. */
export type Due = { manifests: number; links: number; blobs: number; sizeBytes: number }

/** Counts what nothing refers to now and whose grace period is over, without locks. */
export async function countDue(db: Reader, moments: Moments): Promise<Due> {
  const count = sql<number>`count(*)`.as('count')
  const manifests = await db
    .selectFrom('registry_manifests as m')
    .select(count)
    .where(manifestIsDue(moments))
    .where(sql<boolean>`not ${manifestIsReferenced}`)
    .executeTakeFirstOrThrow()
  const links = await db
    .selectFrom('registry_blob_links as l')
    .select(count)
    .where(linkIsDue(moments))
    .where(sql<boolean>`not ${linkIsReferenced}`)
    .executeTakeFirstOrThrow()
  const blobs = await db
    .selectFrom('registry_blobs as b')
    .select([count, sql<number | null>`sum(b.size_bytes)`.as('size_bytes')])
    .where(blobIsDue(moments))
    .where(sql<boolean>`not ${blobIsReferenced}`)
    .executeTakeFirstOrThrow()
  return {
    manifests: Number(manifests.count),
    links: Number(links.count),
    blobs: Number(blobs.count),
    sizeBytes: Number(blobs.size_bytes ?? 0),
  }
}

/** Those of the digests that a blob has. */
export async function knownDigests(db: Reader, digests: readonly string[]): Promise<Set<string>> {
  const query = db.selectFrom('registry_blobs').select('digest')
  return new Set((await query.where(within(db, 'digest', digests)).execute()).map(({ digest }) => digest))
}
