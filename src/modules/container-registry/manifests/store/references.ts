import { sql } from 'kysely'
import { locked, type Reader, type Tx, within } from '../../../../infra/database/index.ts'

/** A blob that a repository has. */
export type LinkedBlob = { blob_id: number; digest: string; size_bytes: number }

function linked(db: Reader, repositoryId: number, digests: readonly string[]) {
  return db
    .selectFrom('registry_blobs as b')
    .innerJoin('registry_blob_links as l', 'l.blob_id', 'b.id')
    .select(['l.blob_id', 'b.digest', 'b.size_bytes'])
    .where('l.repository_id', '=', repositoryId)
    .where(within(db, 'b.digest', digests))
    .orderBy('l.blob_id')
}

/** Those of the blobs that the repository has. */
export function linkedBlobs(db: Reader, repositoryId: number, digests: readonly string[]): Promise<LinkedBlob[]> {
  return linked(db, repositoryId, digests).execute()
}

/** Like `linkedBlobs`. The links cannot be removed until the transaction ends. */
export function holdLinkedBlobs(tx: Tx, repositoryId: number, digests: readonly string[]): Promise<LinkedBlob[]> {
  const query = linked(tx, repositoryId, digests)
  return locked(tx, query, 'key share', 'l').execute()
}

/** A manifest that another one refers to. */
export type StoredChild = { id: number; digest: string }

/** Those of the manifests that the repository has. They cannot be removed until the transaction ends. */
export function holdManifests(tx: Tx, repositoryId: number, digests: readonly string[]): Promise<StoredChild[]> {
  const query = tx
    .selectFrom('registry_manifests')
    .select(['id', 'digest'])
    .where('repository_id', '=', repositoryId)
    .where(within(tx, 'digest', digests))
    .orderBy('id')
  return locked(tx, query, 'key share').execute()
}

/** What an index gets from what it lists (contract 02 R9). */
export type ChildrenSummary = { sizeBytes: number; newest: string | null }

/**
 * The size of an index and the newest date of its manifests: each layer of all manifests below it once, and each blob that
 * it lists.
 */
export async function childrenSummary(
  db: Reader,
  manifestIds: readonly number[],
  blobIds: readonly number[],
): Promise<ChildrenSummary> {
  const dates = db
    .selectFrom('registry_manifests')
    .select((eb) => eb.fn.max('image_created_at').as('newest'))
    .where(within(db, 'id', manifestIds))
  const sizes = db
    .withRecursive('reached(id)', (from) =>
      from
        .selectFrom('registry_manifests')
        .select('registry_manifests.id')
        .where(within(db, 'registry_manifests.id', manifestIds))
        .union((inner) =>
          inner
            .selectFrom('registry_manifest_children as c')
            .innerJoin('reached', 'reached.id', 'c.manifest_id')
            .select('c.child_id as id'),
        ),
    )
    .selectFrom('registry_blobs')
    .select((eb) => eb.fn.sum<number | null>('size_bytes').as('size_bytes'))
    .where((eb) =>
      eb.or([
        within(db, 'registry_blobs.id', blobIds),
        sql<boolean>`registry_blobs.id in (select b.blob_id from reached
          join registry_manifest_blobs b on b.manifest_id = reached.id where b.is_layer = true)`,
      ]),
    )
  const [{ newest }, { size_bytes: sizeBytes }] = await Promise.all([
    dates.executeTakeFirstOrThrow(),
    sizes.executeTakeFirstOrThrow(),
  ])
  return { sizeBytes: Number(sizeBytes ?? 0), newest }
}

/** What a manifest needs. `layerIds`: those of `blobIds` that count for its size. */
export type References = { blobIds: readonly number[]; layerIds: readonly number[]; childIds: readonly number[] }

/** Records what a manifest needs; what is recorded already stays. */
export async function insertReferences(
  tx: Tx,
  { id, repositoryId }: { id: number; repositoryId: number },
  { blobIds, layerIds, childIds }: References,
): Promise<void> {
  if (blobIds.length > 0) {
    await sql`insert into registry_manifest_blobs (manifest_id, repository_id, blob_id, is_layer)
      select cast(${id} as bigint), l.repository_id, l.blob_id, ${within(tx, 'l.blob_id', layerIds)}
      from registry_blob_links l where l.repository_id = ${repositoryId} and ${within(tx, 'l.blob_id', blobIds)}
      on conflict do nothing`.execute(tx)
  }
  if (childIds.length > 0) {
    await sql`insert into registry_manifest_children (manifest_id, child_id)
      select cast(${id} as bigint), m.id from registry_manifests m where ${within(tx, 'm.id', childIds)}
      on conflict do nothing`.execute(tx)
  }
}

/** Those of the digests that the repository has, as a blob or as a manifest. */
export async function presentDigests(
  db: Reader,
  repositoryId: number,
  digests: readonly string[],
): Promise<Set<string>> {
  const blobs = await linkedBlobs(db, repositoryId, digests)
  const manifests = db.selectFrom('registry_manifests').select('digest').where('repository_id', '=', repositoryId)
  const found = await manifests.where(within(db, 'digest', digests)).execute()
  return new Set([...blobs, ...found].map(({ digest }) => digest))
}
