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

/** The dist-tags of a name in some projects with their versions, the one that was set last at the end. */
export async function tagsOfName(
  db: Reader,
  projectIds: readonly number[],
  name: string,
): Promise<(Pick<PackageTagRow, 'name' | 'package_id'> & { version: string })[]> {
  return db
    .selectFrom('package_tags as tag')
    .innerJoin('packages as p', 'p.id', 'tag.package_id')
    .select(['tag.name', 'tag.package_id', 'p.version'])
    .where(within(db, 'tag.project_id', projectIds))
    .where('tag.package_name', '=', name)
    .where('p.status', 'in', [...installableStatuses])
    .orderBy('tag.updated_at')
    .orderBy('tag.id')
    .execute()
}

/** The versions of a name that can be installed, in the order in which they were published. */
export async function npmVersions(db: Reader, projectIds: readonly number[], name: string): Promise<NpmVersion[]> {
  return db
    .selectFrom('packages as p')
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .innerJoin('package_blobs as b', 'b.id', 'f.blob_id')
    .select(['p.id', 'p.project_id', 'p.version', 'f.file_name', 'b.sha1', 'b.sha512'])
    .where(within(db, 'p.project_id', projectIds))
    .where('p.package_type', '=', 'npm')
    .where('p.name_key', '=', name)
    .where('p.status', 'in', [...installableStatuses])
    .orderBy('p.id')
    .orderBy('f.id')
    .execute()
}

/** The manifests of packages, by package. */
export async function manifestsOf(
  db: Reader,
  ids: readonly number[],
): Promise<Map<number, { manifest: string; deprecated: string | null }>> {
  const query = db.selectFrom('package_npm_manifests').selectAll()
  const found = await query.where(within(db, 'package_npm_manifests.package_id', ids)).execute()
  return new Map(found.map(({ package_id: id, manifest, deprecated }) => [id, { manifest, deprecated }]))
}

/** Why versions of a name of a project should not be installed, by version, with the ids of the packages. */
export async function deprecationsOf(
  db: Reader,
  projectId: number,
  name: string,
): Promise<Map<string, { id: number; deprecated: string | null }>> {
  const found = await db
    .selectFrom('packages as p')
    .innerJoin('package_npm_manifests as m', 'm.package_id', 'p.id')
    .select(['p.id', 'p.version', 'm.deprecated'])
    .where('p.project_id', '=', projectId)
    .where('p.package_type', '=', 'npm')
    .where('p.name_key', '=', name)
    .where('p.status', 'in', [...installableStatuses])
    .execute()
  return new Map(found.map(({ id, version, deprecated }) => [version, { id, deprecated }]))
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

/** The project whose package of a name was published last, of some. */
export async function lastProject(db: Reader, projectIds: readonly number[], name: string): Promise<number | null> {
  const query = db
    .selectFrom('packages')
    .select('project_id')
    .where(within(db, 'packages.project_id', projectIds))
    .where('package_type', '=', 'npm')
    .where('name_key', '=', name)
    .where('status', 'in', [...installableStatuses])
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst())?.project_id ?? null
}
