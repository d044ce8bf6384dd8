import { sql } from 'kysely'
import { locked, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { parseStorageKey, type StorageKey } from '../../../infra/objects/index.ts'
import type { Events, Reaction } from '../../../platform/index.ts'
import type { LfsObjectRow } from '../tables.ts'

/** Those of these objects that one of the projects has, each once. */
export async function objectsOf(
  db: Reader,
  projectIds: readonly number[],
  oids: readonly string[],
): Promise<LfsObjectRow[]> {
  if (projectIds.length === 0 || oids.length === 0) return []
  // A condition on each found object, not a join: a project may have a million others.
  const isLinked = sql<boolean>`exists (select 1 from lfs_objects_projects l
    where l.object_id = lfs_objects.id and ${within(db, 'l.project_id', projectIds)})`
  return db
    .selectFrom('lfs_objects')
    .selectAll()
    .where(within(db, 'lfs_objects.oid', oids))
    .where(isLinked)
    .execute()
}

/** A batch of all objects, by id. @param id the last id of the batch before */
export async function objectsAfter(db: Reader, id: number, limit: number): Promise<LfsObjectRow[]> {
  return db.selectFrom('lfs_objects').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}

export async function objectByOid(db: Reader, oid: string): Promise<LfsObjectRow | null> {
  return (await db.selectFrom('lfs_objects').selectAll().where('oid', '=', oid).executeTakeFirst()) ?? null
}

/** Where the bytes of objects are, by their ids; of those that there are. */
export async function lfsObjectKeys(db: Reader, ids: readonly number[]): Promise<Map<number, StorageKey>> {
  const rows = await db
    .selectFrom('lfs_objects')
    .select(['id', 'storage_key'])
    .where(within(db, 'lfs_objects.id', ids))
    .execute()
  return new Map(rows.map((row) => [row.id, parseStorageKey(row.storage_key)]))
}

/** Inserts an object, or finds its row, and locks the row until the transaction ends. */
export async function holdObject(
  tx: Tx,
  { oid, sizeBytes, storageKey, now }: { oid: string; sizeBytes: number; storageKey: string; now: string },
): Promise<LfsObjectRow> {
  return tx
    .insertInto('lfs_objects')
    .values({ oid, size_bytes: sizeBytes, storage_key: storageKey, created_at: now })
    .onConflict((conflict) => conflict.column('oid').doUpdateSet({ orphaned_at: null }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Changes the storage key of an object. */
export async function moveObject(tx: Tx, id: number, storageKey: string): Promise<void> {
  await tx.updateTable('lfs_objects').set({ storage_key: storageKey }).where('id', '=', id).execute()
}

/** Links objects to a project; objects that were deleted meanwhile are skipped. */
export async function linkObjects(tx: Tx, projectId: number, objectIds: readonly number[]): Promise<void> {
  if (objectIds.length === 0) return
  await sql`insert into lfs_objects_projects (project_id, object_id)
    select cast(${projectId} as bigint), id from lfs_objects where ${within(tx, 'id', objectIds)}
    on conflict do nothing`.execute(tx)
}

const isLinked = sql<boolean>`exists (select 1 from lfs_objects_projects l where l.object_id = lfs_objects.id)`

/** Marks the objects that no project has any more, and unmarks those that a project has again. */
export async function markOrphans(tx: Tx, now: string): Promise<void> {
  await tx
    .updateTable('lfs_objects')
    .set({ orphaned_at: null })
    .where('orphaned_at', 'is not', null)
    .where(isLinked)
    .execute()
  await tx
    .updateTable('lfs_objects')
    .set({ orphaned_at: now })
    .where('orphaned_at', 'is', null)
    .where(sql<boolean>`not ${isLinked}`)
    .execute()
}

/** Deletes at most `limit` objects that no project has had since `before`. @returns what was deleted */
export async function deleteOrphans(
  tx: Tx,
  before: string,
  limit: number,
): Promise<Pick<LfsObjectRow, 'id' | 'storage_key'>[]> {
  const query = tx.selectFrom('lfs_objects').select('id').where('orphaned_at', '<', before).orderBy('orphaned_at')
  const held = await locked(tx, query.limit(limit)).execute()
  if (held.length === 0) return []
  const ids = held.map(({ id }) => id)
  // Checked again under the lock: a project may have got one meanwhile.
  const rows = await tx
    .deleteFrom('lfs_objects')
    .where(within(tx, 'lfs_objects.id', ids))
    .where(sql<boolean>`not ${isLinked}`)
    .returning(['id', 'storage_key'])
    .execute()
  return rows
}

/** Those of the storage keys that belong to an object. */
export async function knownKeys(db: Reader, storageKeys: readonly string[]): Promise<Set<string>> {
  const query = db.selectFrom('lfs_objects').select('storage_key')
  const rows = await query.where(within(db, 'lfs_objects.storage_key', storageKeys)).execute()
  return new Set(rows.map(({ storage_key: key }) => key))
}

/** Links the LFS objects of a project to its fork. */
export const copyLfsObjects: Reaction<Events['project.forked']> = async (_platform, tx, { projectId, sourceId }) => {
  await sql`insert into lfs_objects_projects (project_id, object_id)
    select cast(${projectId} as bigint), object_id from lfs_objects_projects where project_id = ${sourceId}
    on conflict do nothing`.execute(tx)
}
