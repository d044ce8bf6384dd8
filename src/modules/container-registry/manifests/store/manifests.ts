import type { Insertable } from 'kysely'
import { prepareQuery, type Reader, type Tx, within } from '../../../../infra/database/index.ts'
import type { RegistryManifestsTable } from '../../tables.ts'

/** What the headers of a manifest say. */
export type ManifestHead = { id: number; digest: string; media_type: string; size_bytes: number; used_at: string }

const headColumns = ['m.id', 'm.digest', 'm.media_type', 'm.size_bytes', 'm.used_at'] as const

const byDigest = prepareQuery((db, { repositoryId, digest }: { repositoryId: number; digest: string }) =>
  db
    .selectFrom('registry_manifests as m')
    .select(headColumns)
    .where('m.repository_id', '=', repositoryId)
    .where('m.digest', '=', digest),
)

const byTag = prepareQuery((db, { repositoryId, name }: { repositoryId: number; name: string }) =>
  db
    .selectFrom('registry_tags as t')
    .innerJoin('registry_manifests as m', 'm.id', 't.manifest_id')
    .select(headColumns)
    .where('t.repository_id', '=', repositoryId)
    .where('t.name', '=', name),
)

const payloadById = prepareQuery((db, { id }: { id: number }) =>
  db.selectFrom('registry_manifest_payloads').select('payload').where('manifest_id', '=', id),
)

/** A manifest of a repository by its digest; null when there is none. */
export async function manifestByDigest(db: Reader, repositoryId: number, digest: string): Promise<ManifestHead | null> {
  return (await byDigest(db, { repositoryId, digest }))[0] ?? null
}

/** The manifest that a tag of a repository points at; null when there is no such tag. */
export async function manifestByTag(db: Reader, repositoryId: number, name: string): Promise<ManifestHead | null> {
  return (await byTag(db, { repositoryId, name }))[0] ?? null
}

/** The text of a manifest as it was pushed; null when it was removed meanwhile. */
export async function payloadOf(db: Reader, id: number): Promise<string | null> {
  return (await payloadById(db, { id }))[0]?.payload ?? null
}

/** Bytes of the layers of manifests of a repository, by digest. */
export async function sizesByDigest(
  db: Reader,
  repositoryId: number,
  digests: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('registry_manifests')
    .select(['digest', 'layers_size_bytes'])
    .where('repository_id', '=', repositoryId)
    .where(within(db, 'digest', digests))
    .execute()
  return new Map(rows.map(({ digest, layers_size_bytes: bytes }) => [digest, bytes]))
}

/** Whether an index lists the manifest. */
export async function isListed(db: Reader, id: number): Promise<boolean> {
  const query = db.selectFrom('registry_manifest_children').select('manifest_id').where('child_id', '=', id).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Inserts a manifest, or renews one with the same digest, which retains the time when it was first stored. */
export async function storeManifest(
  tx: Tx,
  manifest: Insertable<RegistryManifestsTable>,
  payload: string,
): Promise<number> {
  const { repository_id: _repository, digest: _digest, created_at: _created, ...renewed } = manifest
  const { id } = await tx
    .insertInto('registry_manifests')
    .values(manifest)
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'digest']).doUpdateSet({ ...renewed, released_at: null }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('registry_manifest_payloads')
    .values({ manifest_id: id, payload })
    .onConflict((conflict) => conflict.column('manifest_id').doNothing())
    .execute()
  return id
}

/** The place in a list of referrers after which to go on. */
export type ReferrerPlace = { created_at: string; digest: string }

type ReferrerFilter = {
  subject: string
  artifactType?: string | undefined
  after?: ReferrerPlace | undefined
  limit: number
}

/**
 * Manifests of a repository with a subject, in the order in which they were stored (contract 02, x.v2_referrers), without
 * their annotations, which may be large.
 */
export function referrersOf(db: Reader, repositoryId: number, { subject, artifactType, after, limit }: ReferrerFilter) {
  let query = db
    .selectFrom('registry_manifests')
    .select(['id', 'media_type', 'size_bytes', 'digest', 'artifact_type', 'created_at'])
    .where('repository_id', '=', repositoryId)
    .where('subject_digest', '=', subject)
  if (artifactType !== undefined) query = query.where('artifact_type', '=', artifactType)
  if (after !== undefined) {
    query = query.where((eb) => eb(eb.refTuple('created_at', 'digest'), '>', eb.tuple(after.created_at, after.digest)))
  }
  return query.orderBy('created_at').orderBy('digest').limit(limit).execute()
}

/** Annotations of manifests by id, as JSON; those without any are absent. */
export async function annotationsOf(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  const query = db
    .selectFrom('registry_manifests')
    .select(['id', 'annotations'])
    .where(within(db, 'id', ids))
  const rows = await query.where('annotations', 'is not', null).execute()
  return new Map(rows.flatMap(({ id, annotations }) => (annotations === null ? [] : [[id, annotations]])))
}

/** When a manifest was first stored in a repository; null when it is not there. */
export async function storedAt(db: Reader, repositoryId: number, digest: string): Promise<string | null> {
  const query = db.selectFrom('registry_manifests').select('created_at').where('repository_id', '=', repositoryId)
  return (await query.where('digest', '=', digest).executeTakeFirst())?.created_at ?? null
}

export type StoredManifest = ManifestHead & { repository_id: number }

/** A batch of all manifests, by id. @param id the last id of the batch before */
export function manifestsAfter(db: Reader, id: number, limit: number): Promise<StoredManifest[]> {
  const query = db.selectFrom('registry_manifests as m').select(headColumns).select('m.repository_id')
  return query.where('m.id', '>', id).orderBy('m.id').limit(limit).execute()
}
