import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { renewGeneration } from '../core/store.ts'
import { installableStatuses } from '../core/words.ts'
import type { PackageRow, PackageTagRow } from '../tables.ts'

/** A version of a package with its tarball. */
export type NpmVersion = {
  id: number
  project_id: number
  version: string
  file_name: string
  sha1: string
  sha512: string
}

export async function insertManifest(tx: Tx, packageId: number, manifest: string): Promise<void> {
  await tx.insertInto('package_npm_manifests').values({ package_id: packageId, manifest }).execute()
}

/** Whether another project at or below a namespace has the same version of a package. */
export async function hasTwin(db: Reader, rootId: number, row: PackageRow): Promise<boolean> {
  const query = db
    .selectFrom('packages')
    .innerJoin('projects', 'projects.id', 'packages.project_id')
    .innerJoin('namespace_ancestors as above', 'above.namespace_id', 'projects.namespace_id')
    .select('packages.id')
    .where('above.ancestor_id', '=', rootId)
    .where('package_type', '=', 'npm')
    .where('name_key', '=', row.name_key)
    .where('version', '=', row.version)
    .where('packages.status', '<>', 'pending_destruction')
    .where('packages.id', '<>', row.id)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Lets a tag point at a package, and no other of its name. */
export async function moveTag(tx: Tx, row: PackageRow, tag: string, now: string): Promise<void> {
  const { id: package_id, project_id, name_key: package_name } = row
  await tx
    .insertInto('package_tags')
    .values({ project_id, package_id, package_name, name: tag, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'package_name', 'name']).doUpdateSet({ package_id, updated_at: now }),
    )
    .execute()
}

/** @returns whether there was such a tag */
export async function deleteTag(tx: Tx, projectId: number, name: string, tag: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('package_tags')
    .where('project_id', '=', projectId)
    .where('package_name', '=', name)
    .where('name', '=', tag)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await renewGeneration(tx, { project_id: projectId, package_type: 'npm', name_key: name })
  return true
}

/** A dist-tag with the version at which it points. */
export type NamedTag = Pick<PackageTagRow, 'id' | 'name' | 'updated_at' | 'package_id'> & { version: string }

/** Dist-tags of a name in some projects by name and, of one name, as they were set, behind one. */
export async function tagsOfName(
  db: Reader,
  { projectIds, name }: { projectIds: readonly number[]; name: string },
  { after, limit }: { after: NamedTag | undefined; limit: number },
): Promise<NamedTag[]> {
  let query = db
    .selectFrom('package_tags as tag')
    .innerJoin('packages as p', 'p.id', 'tag.package_id')
    .select(['tag.id', 'tag.name', 'tag.updated_at', 'tag.package_id', 'p.version'])
    .where(within(db, 'tag.project_id', projectIds))
    .where('tag.package_name', '=', name)
    .where('p.status', 'in', [...installableStatuses])
    .where(sql<boolean>`exists (select 1 from package_files f where f.package_id = p.id)`)
  if (after) {
    query = query
      .where('tag.name', '>=', after.name)
      .where((eb) =>
        eb.or([
          eb('tag.name', '>', after.name),
          eb('tag.updated_at', '>', after.updated_at),
          eb.and([eb('tag.updated_at', '=', after.updated_at), eb('tag.id', '>', after.id)]),
        ]),
      )
  }
  return query.orderBy('tag.name').orderBy('tag.updated_at').orderBy('tag.id').limit(limit).execute()
}

/** Versions of a name of a project that can be installed, in the order in which they were published, behind one. */
export async function npmVersions(
  db: Reader,
  { projectId, name }: { projectId: number; name: string },
  { after, limit }: { after: number; limit: number },
): Promise<NpmVersion[]> {
  return db
    .selectFrom('packages as p')
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .innerJoin('package_blobs as b', 'b.id', 'f.blob_id')
    .select(['p.id', 'p.project_id', 'p.version', 'f.file_name', 'b.sha1', 'b.sha512'])
    .where('p.project_id', '=', projectId)
    .where('p.package_type', '=', 'npm')
    .where('p.name_key', '=', name)
    .where('p.status', 'in', [...installableStatuses])
    .where('p.id', '>', after)
    .orderBy('p.id')
    .limit(limit)
    .execute()
}

/** Those of some versions that no other of the projects has published later. */
export async function lastPublished(
  db: Reader,
  projectIds: readonly number[],
  name: string,
  rows: readonly NpmVersion[],
): Promise<NpmVersion[]> {
  const others = projectIds.filter((id) => id !== rows[0]?.project_id)
  if (others.length === 0) return [...rows]
  const versions = rows.map(({ version }) => version)
  const found = await db
    .selectFrom('packages as p')
    .select((eb) => ['p.version', eb.fn.max('p.id').as('id')])
    .where(within(db, 'p.project_id', others))
    .where('p.package_type', '=', 'npm')
    .where('p.name_key', '=', name)
    .where(within(db, 'p.version', versions))
    .where(sql<boolean>`p.status <> 'pending_destruction'`)
    .where(sql<boolean>`exists (select 1 from package_files f where f.package_id = p.id)`)
    .groupBy('p.version')
    .execute()
  const lastIds = new Map(found.map(({ version, id }) => [version, Number(id)]))
  return rows.filter(({ id, version }) => id > (lastIds.get(version) ?? 0))
}

/** The manifest of a version, and why it should not be installed. */
export type StoredManifest = { manifest: string; deprecated: string | null }

/** The manifests of packages, by package. */
export async function manifestsOf(db: Reader, ids: readonly number[]): Promise<Map<number, StoredManifest>> {
  const query = db.selectFrom('package_npm_manifests').selectAll()
  const found = await query.where(within(db, 'package_npm_manifests.package_id', ids)).execute()
  return new Map(found.map(({ package_id: id, manifest, deprecated }) => [id, { manifest, deprecated }]))
}

/** Why some versions of a name of a project should not be installed, with the ids of the packages. */
export async function deprecationsOf(
  db: Reader,
  { projectId, name }: { projectId: number; name: string },
  versions: readonly string[],
): Promise<{ id: number; version: string; deprecated: string | null }[]> {
  return db
    .selectFrom('packages as p')
    .innerJoin('package_npm_manifests as m', 'm.package_id', 'p.id')
    .select(['p.id', 'p.version', 'm.deprecated'])
    .where('p.project_id', '=', projectId)
    .where('p.package_type', '=', 'npm')
    .where('p.name_key', '=', name)
    .where(within(db, 'p.version', versions))
    .where(sql<boolean>`p.status <> 'pending_destruction'`)
    .execute()
}

/** Deprecates packages, or ends that. @param deprecated null: ends it */
export async function deprecate(tx: Tx, ids: readonly number[], deprecated: string | null, now: string): Promise<void> {
  await tx
    .updateTable('package_npm_manifests')
    .set({ deprecated })
    .where(within(tx, 'package_npm_manifests.package_id', ids))
    .execute()
  await tx
    .updateTable('packages')
    .set({ status: deprecated === null ? 'default' : 'deprecated', updated_at: now })
    .where(within(tx, 'packages.id', ids))
    .where(sql<boolean>`status <> 'pending_destruction'`)
    .execute()
}
