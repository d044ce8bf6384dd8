import { type Insertable, sql } from 'kysely'
import { locked, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { newGeneration, type Ports } from '../../../platform/index.ts'
import { type PackageRow, type PackagesTable, type PackageTagRow, packages } from '../tables.ts'
import { listedStatuses, type PackageType } from './words.ts'

export const { byId: packageById, byIds: packagesByIds, update: updatePackage } = rows(packages)

/** What tells a package from the others of a project. */
export type Identity = { type: PackageType; nameKey: string; version: string }

/** A name, with all of its versions. */
export type Name = Pick<Identity, 'type' | 'nameKey'>

const isThere = sql<boolean>`packages.status <> 'pending_destruction'`

/** A package of a project that is not being deleted. */
export async function packageOf(
  db: Reader,
  projectId: number,
  { type, nameKey, version }: Identity,
): Promise<PackageRow | null> {
  const query = db
    .selectFrom('packages')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('package_type', '=', type)
    .where('name_key', '=', nameKey)
    .where('version', '=', version)
    .where(isThere)
  return (await query.executeTakeFirst()) ?? null
}

/** Packages of a project with a name that lists show, by version. @param range.after a version, behind which they are */
export async function versionsOf(
  db: Reader,
  projectId: number,
  { type, nameKey }: Name,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<PackageRow[]> {
  let query = db
    .selectFrom('packages')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('package_type', '=', type)
    .where('name_key', '=', nameKey)
    .where(isThere)
    .where('status', 'in', [...listedStatuses])
  if (after !== undefined) query = query.where('version', '>', after)
  return query.orderBy('version').limit(limit).execute()
}

/**
 * Inserts a package unless there is one, and locks its row until the transaction ends.
 * @returns the row, and whether it is new
 */
export async function holdPackage(
  tx: Tx,
  row: Insertable<PackagesTable>,
): Promise<{ found: PackageRow; isNew: boolean }> {
  const identity = { type: row.package_type, nameKey: row.name_key, version: row.version }
  for (;;) {
    const inserted = await tx
      .insertInto('packages')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (inserted) return { found: inserted, isNew: true }
    const known = await packageOf(tx, row.project_id, identity)
    const held = known && (await lockPackage(tx, known.id))
    // Deleted meanwhile: the identity is free again.
    if (held) return { found: held, isNew: false }
  }
}

/** The row of a package, unless its deletion has begun. Others cannot change it until the transaction ends. */
export async function lockPackage(tx: Tx, id: number): Promise<PackageRow | null> {
  const held = await locked(tx, tx.selectFrom('packages').selectAll().where('id', '=', id)).executeTakeFirst()
  return held && held.status !== 'pending_destruction' ? held : null
}

/** Adds to the size of a package, whose row is locked. */
export async function addSize(tx: Tx, id: number, sizeBytes: number, now: string): Promise<PackageRow> {
  return tx
    .updateTable('packages')
    .set({ size_bytes: sql<number>`size_bytes + cast(${sizeBytes} as bigint)`, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function noteDownload(tx: Tx, id: number, now: string): Promise<void> {
  await tx.updateTable('packages').set({ last_downloaded_at: now }).where('id', '=', id).execute()
}

/** Gives a name a new generation: what was made from its packages is made again. */
export async function renewGeneration(
  tx: Tx,
  { project_id, package_type, name_key }: Pick<PackageRow, 'project_id' | 'package_type' | 'name_key'>,
): Promise<void> {
  const generation = newGeneration()
  await tx
    .insertInto('package_names')
    .values({ project_id, package_type, name_key, generation })
    .onConflict((conflict) => conflict.columns(['project_id', 'package_type', 'name_key']).doUpdateSet({ generation }))
    .execute()
}

/** The dist-tags of packages, by package. */
export async function tagsOfPackages(db: Reader, ids: readonly number[]): Promise<Map<number, PackageTagRow[]>> {
  if (ids.length === 0) return new Map()
  const query = db
    .selectFrom('package_tags')
    .selectAll()
    .where(within(db, 'package_tags.package_id', ids))
  return Map.groupBy(await query.orderBy('id').execute(), ({ package_id }) => package_id)
}

/** Records that a job of a pipeline has published into a package. */
export async function linkPipeline(tx: Tx, packageId: number, pipelineId: number, now: string): Promise<void> {
  await tx
    .insertInto('package_pipelines')
    .values({ package_id: packageId, pipeline_id: pipelineId, published_at: now })
    .onConflict((conflict) => conflict.columns(['package_id', 'pipeline_id']).doUpdateSet({ published_at: now }))
    .execute()
}

/** The pipeline that published last into each of some packages, by package. */
export async function lastPipelineIds(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const query = sql<{
    id: number
    pipeline_id: number | null
  }>`select packages.id, (select l.pipeline_id from package_pipelines l
      where l.package_id = packages.id order by l.published_at desc, l.pipeline_id desc limit 1) as pipeline_id
    from packages where ${within(db, 'packages.id', ids)}`
  const found = (await query.execute(db as never)).rows
  return new Map(found.flatMap(({ id, pipeline_id }) => (pipeline_id === null ? [] : [[id, pipeline_id] as const])))
}

/** A package of a project by its id, unless its deletion has begun. */
export async function packageOfProject(db: Reader, projectId: number, id: number): Promise<PackageRow | null> {
  const query = db.selectFrom('packages').selectAll().where('id', '=', id).where('project_id', '=', projectId)
  return (await query.where(isThere).executeTakeFirst()) ?? null
}

export async function deleteTagsOf(tx: Tx, packageId: number): Promise<void> {
  await tx.deleteFrom('package_tags').where('package_id', '=', packageId).execute()
}

/** Packages whose deletion has begun, by id. */
export async function removedPackages(db: Reader, limit: number): Promise<{ id: number }[]> {
  const query = db.selectFrom('packages').select('id').where('status', '=', 'pending_destruction')
  return query.orderBy('id').limit(limit).execute()
}

/** Deletes the rows of packages without files. */
export async function deletePackages(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('packages')
    .where(within(tx, 'packages.id', ids))
    .execute()
}

/** Ids of the pipelines whose jobs published into a package, the newest first. @param range.before only older ones */
export async function pageOfPipelineIds(
  db: Reader,
  packageId: number,
  { limit, before }: { limit: number; before: number | null },
): Promise<number[]> {
  let query = db.selectFrom('package_pipelines').select('pipeline_id').where('package_id', '=', packageId)
  if (before !== null) query = query.where('pipeline_id', '<', before)
  const found = await query.orderBy('pipeline_id', 'desc').limit(limit).execute()
  return found.map(({ pipeline_id: id }) => id)
}

/** Whether the project, or one in the group or below it, has npm packages of a scope. Answers `groups.scoped_packages`. */
export const hasScopedPackages: Ports['groups.scoped_packages'] = async (_platform, db, of, scope) => {
  const [first, last] = [`@${scope}/`, `@${scope}0`]
  const found = sql`packages where packages.package_type = 'npm' and packages.name_key >= ${first} and packages.name_key < ${last}
    and packages.status <> 'pending_destruction'`
  const isOf =
    'projectId' in of
      ? sql`packages.project_id = ${of.projectId}`
      : sql`exists (select 1 from projects p join namespace_ancestors a on a.namespace_id = p.namespace_id
          where p.id = packages.project_id and a.ancestor_id = ${of.groupId})`
  const query = sql`select 1 from ${found} and ${isOf} limit 1`
  return (await query.execute(db as never)).rows.length > 0
}

/** Ids of packages of a project whose deletion has not begun, by id. @param range.after the last one of the previous portion */
export async function packagesAfter(
  db: Reader,
  projectId: number,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: number }[]> {
  const query = db.selectFrom('packages').select('id').where('project_id', '=', projectId).where('id', '>', after)
  return query.where(isThere).orderBy('id').limit(limit).execute()
}
