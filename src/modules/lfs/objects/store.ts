import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { LfsObjectRow } from '../tables.ts'

/** Those of these objects that one of the projects has, each once. */
export async function objectsOf(
  db: Reader,
  projectIds: readonly number[],
  oids: readonly string[],
): Promise<LfsObjectRow[]> {
  if (projectIds.length === 0 || oids.length === 0) return []
  // Asked of each object that was found: a project may have a million others.
  const isLinked = sql<boolean>`exists (select 1 from lfs_objects_projects l
    where l.object_id = lfs_objects.id and ${within(db, 'l.project_id', projectIds)})`
  return db
    .selectFrom('lfs_objects')
    .selectAll()
    .where(within(db, 'lfs_objects.oid', oids))
    .where(isLinked)
    .execute()
}

/** Every object in the order of ids, in portions: for work that walks through all of them. */
export async function objectsAfter(db: Reader, id: number, limit: number): Promise<LfsObjectRow[]> {
  return db.selectFrom('lfs_objects').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}

export async function objectByOid(db: Reader, oid: string): Promise<LfsObjectRow | null> {
  return (await db.selectFrom('lfs_objects').selectAll().where('oid', '=', oid).executeTakeFirst()) ?? null
}

/**
 * Writes an object down, or finds that it is; either way the row is held, so that it does not go before it has been given
 * to a project.
 */
export async function holdObject(
  tx: Tx,
  object: { oid: string; sizeBytes: number; storageKey: string; now: string },
): Promise<LfsObjectRow> {
  return tx
    .insertInto('lfs_objects')
    .values({
      oid: object.oid,
      size_bytes: object.sizeBytes,
      storage_key: object.storageKey,
      created_at: object.now,
    })
    .onConflict((conflict) => conflict.column('oid').doUpdateSet({ orphaned_at: null }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Lets an object lie somewhere else. */
export async function moveObject(tx: Tx, id: number, storageKey: string): Promise<void> {
  await tx.updateTable('lfs_objects').set({ storage_key: storageKey }).where('id', '=', id).execute()
}

/** Gives objects to a project, those that are still there. */
export async function linkObjects(tx: Tx, projectId: number, objectIds: readonly number[]): Promise<void> {
  if (objectIds.length === 0) return
  await sql`insert into lfs_objects_projects (project_id, object_id)
    select cast(${projectId} as bigint), id from lfs_objects where ${within(tx, 'id', objectIds)}
    on conflict do nothing`.execute(tx)
}

/** Gives a project all objects that another one has. */
export async function copyLinks(tx: Tx, fromProjectId: number, toProjectId: number): Promise<void> {
  await sql`insert into lfs_objects_projects (project_id, object_id)
    select cast(${toProjectId} as bigint), object_id from lfs_objects_projects where project_id = ${fromProjectId}
    on conflict do nothing`.execute(tx)
}

/** Bytes of the objects of these projects, by project; those without any are absent. */
export async function sizesOfProjects(db: Reader, projectIds: readonly number[]): Promise<Map<number, number>> {
  if (projectIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('lfs_objects_projects as l')
    .innerJoin('lfs_objects as o', 'o.id', 'l.object_id')
    .select((eb) => ['l.project_id', eb.fn.sum<number>('o.size_bytes').as('size_bytes')])
    .where(within(db, 'l.project_id', projectIds))
    .groupBy('l.project_id')
    .execute()
  return new Map(rows.map(({ project_id: id, size_bytes: bytes }) => [id, bytes]))
}

const isHad = sql<boolean>`exists (select 1 from lfs_objects_projects l where l.object_id = lfs_objects.id)`

/** Writes down which objects no project has any more, and which one has again after all. */
export async function markOrphans(tx: Tx, now: string): Promise<void> {
  await tx
    .updateTable('lfs_objects')
    .set({ orphaned_at: null })
    .where('orphaned_at', 'is not', null)
    .where(isHad)
    .execute()
  await tx
    .updateTable('lfs_objects')
    .set({ orphaned_at: now })
    .where('orphaned_at', 'is', null)
    .where(sql<boolean>`not ${isHad}`)
    .execute()
}

/**
 * Takes out objects that no project has had since `before`, at most `limit`.
 * @returns where their bytes lie
 */
export async function deleteOrphans(tx: Tx, before: string, limit: number): Promise<string[]> {
  const query = tx.selectFrom('lfs_objects').select('id').where('orphaned_at', '<', before).orderBy('orphaned_at')
  const held = await (tx.engine === 'postgres' ? query.limit(limit).forUpdate() : query.limit(limit)).execute()
  if (held.length === 0) return []
  // Only now that they are held: a project may have got one while we waited.
  const rows = await tx
    .deleteFrom('lfs_objects')
    .where(
      within(
        tx,
        'lfs_objects.id',
        held.map(({ id }) => id),
      ),
    )
    .where(sql<boolean>`not ${isHad}`)
    .returning('storage_key')
    .execute()
  return rows.map(({ storage_key: key }) => key)
}

/** Those of the storage keys that belong to an object. */
export async function knownKeys(db: Reader, storageKeys: readonly string[]): Promise<Set<string>> {
  const query = db.selectFrom('lfs_objects').select('storage_key')
  const rows = await query.where(within(db, 'lfs_objects.storage_key', storageKeys)).execute()
  return new Set(rows.map(({ storage_key: key }) => key))
}
