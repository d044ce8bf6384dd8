import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { lockManifests, releaseManifest, replaceManifest } from '../manifests/store/removal.ts'
import type { RegistryTagRow } from '../tables.ts'

/** A tag with what its manifest says (contract 02, "tag detail"). */
export type TagDetail = {
  name: string
  /** The manifest that the tag points at; `removeTag` compares it. */
  manifest_id: number
  digest: string
  media_type: string
  /** Digest of the config, with its algorithm; null for an index. */
  config_digest: string | null
  /** `total_size`, in bytes (contract 02 R9). */
  total_size: number
  /** Date of the image, ISO 8601 in UTC (contract 02 R9). */
  created_at: string
  /** When the tag was pointed at the manifest. */
  published_at: string
}

/** A page of the tags of a repository by its number, in byte order of the name. */
export function pageOfTags(db: Reader, repositoryId: number, page: PageRequest): Promise<Page<RegistryTagRow>> {
  const tags = db.selectFrom('registry_tags').selectAll().where('repository_id', '=', repositoryId).orderBy('name')
  return pageOfRows(db, tags, page)
}

/** `last`: the name to start after, which need not exist. */
export type TagWalk = { last?: string | undefined; limit: number; sort?: 'asc' | 'desc' | undefined }

/** PostgreSQL has no texts with U+0000. A name has no such character, so the comparison is the same without it. */
const comparable = (last: string) => last.split('\0', 1)[0] ?? ''

/** The next names of a walk through the tags of a repository, in byte order. */
export async function tagNamesAfter(
  db: Reader,
  repositoryId: number,
  { last, limit, sort = 'asc' }: TagWalk,
): Promise<string[]> {
  let query = db.selectFrom('registry_tags').select('name').where('repository_id', '=', repositoryId)
  if (last !== undefined) query = query.where('name', sort === 'asc' ? '>' : '<', comparable(last))
  return (await query.orderBy('name', sort).limit(limit).execute()).map(({ name }) => name)
}

/** Like `tagNamesAfter` in byte order, for very many names: the database joins them to one text. No name has a space. */
export async function manyTagNamesAfter(
  db: Reader,
  repositoryId: number,
  last: string,
  limit: number,
): Promise<string[]> {
  const next = db.selectFrom('registry_tags').select('name').where('repository_id', '=', repositoryId)
  const row = await db
    .selectFrom(next.where('name', '>', last).orderBy('name').limit(limit).as('next'))
    .select(sql<string | null>`string_agg(next.name, ' ')`.as('names'))
    .executeTakeFirst()
  // No engine promises to join rows in the order of a sub-query.
  return row?.names ? row.names.split(' ').sort() : []
}

const detailColumns = [
  't.name',
  't.manifest_id',
  'm.digest',
  'm.media_type',
  'm.config_digest',
  'm.layers_size_bytes as total_size',
  't.updated_at as published_at',
] as const

const detailsOf = (db: Reader, repositoryId: number) =>
  db
    .selectFrom('registry_tags as t')
    .innerJoin('registry_manifests as m', 'm.id', 't.manifest_id')
    .where('t.repository_id', '=', repositoryId)
    .select(detailColumns)
    .select((eb) => eb.fn.coalesce('m.image_created_at', 'm.created_at').as('created_at'))

/** A tag with its details; null when the repository has no such tag. */
export async function tagDetail(db: Reader, repositoryId: number, name: string): Promise<TagDetail | null> {
  return (await detailsOf(db, repositoryId).where('t.name', '=', name).executeTakeFirst()) ?? null
}

/** Like `tagNamesAfter`, with details: for rules over all tags of a repository, in batches. */
export async function tagDetailsAfter(
  db: Reader,
  repositoryId: number,
  { last, limit, sort = 'asc' }: TagWalk,
): Promise<TagDetail[]> {
  let query = detailsOf(db, repositoryId)
  if (last !== undefined) query = query.where('t.name', sort === 'asc' ? '>' : '<', comparable(last))
  return query.orderBy('t.name', sort).limit(limit).execute()
}

/** Those of the tags that the repository has, with details, in byte order. */
export async function tagDetailsByName(
  db: Reader,
  repositoryId: number,
  names: readonly string[],
): Promise<Map<string, TagDetail>> {
  if (names.length === 0) return new Map()
  const rows = await detailsOf(db, repositoryId)
    .where(within(db, 't.name', names))
    .execute()
  return new Map(rows.map((row) => [row.name, row]))
}

/** Numbers of tags by repository; repositories without tags are absent. */
export async function countTags(db: Reader, repositoryIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('registry_tags')
    .select((eb) => ['repository_id', eb.fn.countAll<number>().as('count')])
    .where(within(db, 'repository_id', repositoryIds))
    .groupBy('repository_id')
    .execute()
  return new Map(rows.map(({ repository_id: id, count }) => [id, Number(count)]))
}

/** Names of all tags by repository, in byte order; repositories without tags are absent. */
export async function tagNames(db: Reader, repositoryIds: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db
    .selectFrom('registry_tags')
    .select(['repository_id', 'name'])
    .where(within(db, 'repository_id', repositoryIds))
    .orderBy('repository_id')
    .orderBy('name')
    .execute()
  const grouped = Map.groupBy(rows, ({ repository_id: id }) => id)
  return new Map([...grouped].map(([id, tags]) => [id, tags.map(({ name }) => name)]))
}

/**
 * Sizes of repositories in bytes: each layer once that a tag reaches, directly or through indexes (contract 02 R9).
 * Repositories without tags are absent.
 */
export async function repositorySizes(db: Reader, repositoryIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .withRecursive('reached(id)', (from) =>
      from
        .selectFrom('registry_tags')
        .select('manifest_id as id')
        .where(within(db, 'repository_id', repositoryIds))
        .union((inner) =>
          inner
            .selectFrom('registry_manifest_children as c')
            .innerJoin('reached', 'reached.id', 'c.manifest_id')
            .select('c.child_id as id'),
        ),
    )
    .with('layers', (from) =>
      from
        .selectFrom('reached')
        .innerJoin('registry_manifest_blobs as m', 'm.manifest_id', 'reached.id')
        .select(['m.repository_id', 'm.blob_id'])
        .distinct()
        .where('m.is_layer', '=', true),
    )
    .selectFrom('layers')
    .innerJoin('registry_blobs as b', 'b.id', 'layers.blob_id')
    .select((eb) => ['layers.repository_id', eb.fn.sum<number>('b.size_bytes').as('size_bytes')])
    .groupBy('layers.repository_id')
    .execute()
  return new Map(rows.map(({ repository_id: id, size_bytes: bytes }) => [id, Number(bytes)]))
}

/** The names of the tags on a manifest. */
export async function tagsOn(db: Reader, manifestId: number): Promise<string[]> {
  const query = db.selectFrom('registry_tags').select('name').where('manifest_id', '=', manifestId)
  return (await query.execute()).map(({ name }) => name)
}

/** Points a tag at a manifest; creates it when it is missing. The caller has called `lockManifests`. */
export async function setTag(
  tx: Tx,
  { repositoryId, name, manifestId, now }: { repositoryId: number; name: string; manifestId: number; now: string },
): Promise<void> {
  const tags = tx.selectFrom('registry_tags').select('manifest_id').where('repository_id', '=', repositoryId)
  const before = await tags.where('name', '=', name).executeTakeFirst()
  if (before?.manifest_id === manifestId) return
  await tx
    .insertInto('registry_tags')
    .values({ repository_id: repositoryId, name, manifest_id: manifestId, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'name']).doUpdateSet({ manifest_id: manifestId, updated_at: now }),
    )
    .execute()
  if (before) await replaceManifest(tx, before.manifest_id, now)
}

/** `manifestId`: the manifest that was judged; undefined: whatever the tag points at. */
export type RemovedTag = { repositoryId: number; name: string; manifestId?: number | undefined; now: string }

/**
 * Removes a tag if it still points at the manifest. The manifest stays until garbage collection, other tags on it too.
 * @returns false when there is no such tag, or it was moved meanwhile
 */
export async function removeTag(tx: Tx, { repositoryId, name, manifestId, now }: RemovedTag): Promise<boolean> {
  await lockManifests(tx, repositoryId)
  let tags = tx.deleteFrom('registry_tags').where('repository_id', '=', repositoryId).where('name', '=', name)
  if (manifestId !== undefined) tags = tags.where('manifest_id', '=', manifestId)
  const removed = await tags.returning('manifest_id').executeTakeFirst()
  if (!removed) return false
  await releaseManifest(tx, removed.manifest_id, now)
  return true
}
