import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { EntityRow, EntityType, RelationRow, State } from '../tables.ts'

/** Begins an entity that waits. @returns whether it may be imported */
export async function beginEntity(tx: Tx, id: number, updated_at: string): Promise<EntityRow | null> {
  await tx
    .updateTable('bulk_import_entities')
    .set({ status: 'started', updated_at })
    .where('id', '=', id)
    .where('status', '=', 'created')
    .execute()
  const query = tx.selectFrom('bulk_import_entities').selectAll().where('id', '=', id)
  return (await query.where('status', '=', 'started').executeTakeFirst()) ?? null
}

/** Begins a migration that waits. */
export async function beginMigration(tx: Tx, id: number, updated_at: string): Promise<void> {
  const query = tx.updateTable('bulk_imports').set({ status: 'started', updated_at }).where('id', '=', id)
  await query.where('status', '=', 'created').execute()
}

/** Records progress of an entity. @returns false when it has ended */
export async function recordProgress(tx: Tx, id: number, updated_at: string): Promise<boolean> {
  const query = tx.updateTable('bulk_import_entities').set({ updated_at }).where('id', '=', id)
  return (await query.where('status', '=', 'started').executeTakeFirst()).numUpdatedRows > 0n
}

/** Whether an entity is there and has not ended. */
export async function isUnfinished(db: Reader, id: number): Promise<boolean> {
  const query = db.selectFrom('bulk_import_entities').select('id').where('id', '=', id)
  return (await query.where('status', 'in', ['created', 'started']).executeTakeFirst()) !== undefined
}

/** Changes an entity. */
export async function changeEntity(
  tx: Tx,
  id: number,
  changes: Partial<
    Pick<EntityRow, 'source_id' | 'exports_asked_at' | 'namespace_id' | 'project_id' | 'import_id' | 'has_failures'>
  >,
): Promise<void> {
  await tx.updateTable('bulk_import_entities').set(changes).where('id', '=', id).execute()
}

/** Ends an entity. @returns false when it has ended */
export async function endEntity(tx: Tx, id: number, status: State, updated_at: string): Promise<boolean> {
  const query = tx.updateTable('bulk_import_entities').set({ status, updated_at }).where('id', '=', id)
  return (await query.where('status', 'in', ['created', 'started']).executeTakeFirst()).numUpdatedRows > 0n
}

/** The entities of a migration that have not ended. */
export function unfinishedEntities(db: Reader, migrationId: number) {
  const query = db.selectFrom('bulk_import_entities').select('id').where('bulk_import_id', '=', migrationId)
  return query.where('status', 'in', ['created', 'started']).orderBy('id').execute()
}

/** The source paths of the entities of a type below an entity. */
export async function childPaths(db: Reader, parentId: number, type: EntityType): Promise<Set<string>> {
  const query = db.selectFrom('bulk_import_entities').select('source_full_path').where('parent_id', '=', parentId)
  const rows = await query.where('entity_type', '=', type).execute()
  return new Set(rows.map(({ source_full_path: path }) => path))
}

export async function countEntities(db: Reader, migrationId: number): Promise<number> {
  const query = db.selectFrom('bulk_import_entities').where('bulk_import_id', '=', migrationId)
  const { count } = await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

export async function countFailures(db: Reader, entityId: number): Promise<number> {
  const query = db.selectFrom('bulk_import_failures').where('entity_id', '=', entityId)
  const { count } = await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

/** Entities without progress since a time. Those that have not begun wait for others of their migration. */
export function stalledEntities(db: Reader, since: string, limit: number): Promise<EntityRow[]> {
  return db
    .selectFrom('bulk_import_entities as entity')
    .selectAll('entity')
    .where('entity.status', 'in', ['created', 'started'])
    .where('entity.updated_at', '<', since)
    .where((eb) => {
      const others = eb
        .selectFrom('bulk_import_entities as other')
        .select('other.id')
        .whereRef('other.bulk_import_id', '=', 'entity.bulk_import_id')
        .where('other.status', '=', 'started')
      return eb.or([eb('entity.status', '=', 'started'), eb.not(eb.exists(others))])
    })
    .orderBy('entity.updated_at')
    .limit(limit)
    .execute()
}

/** What is known of the relations of an entity, by name. */
export async function relationsOf(db: Reader, entityId: number): Promise<Map<string, RelationRow>> {
  const rows = await db.selectFrom('bulk_import_relations').selectAll().where('entity_id', '=', entityId).execute()
  return new Map(rows.map((row) => [row.relation, row]))
}

/** Stores how far a relation has been imported. */
export async function putRelation(tx: Tx, row: RelationRow): Promise<void> {
  const { entity_id: _entity, relation: _relation, ...changes } = row
  await tx
    .insertInto('bulk_import_relations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['entity_id', 'relation']).doUpdateSet(changes))
    .execute()
}

/** Counts an object of a relation as imported, and as progress. @returns false when the entity has ended */
export async function countImported(tx: Tx, entityId: number, relation: string, at: string): Promise<boolean> {
  if (!(await recordProgress(tx, entityId, at))) return false
  await tx
    .updateTable('bulk_import_relations')
    .set((eb) => ({ imported_count: eb('imported_count', '+', 1) }))
    .where('entity_id', '=', entityId)
    .where('relation', '=', relation)
    .execute()
  return true
}

/** Records a complete batch, of which so many objects were read. */
export async function finishBatch(
  tx: Tx,
  entityId: number,
  relation: string,
  { batches, read }: { batches: number; read: number },
): Promise<void> {
  await tx
    .updateTable('bulk_import_relations')
    .set((eb) => ({ batches, fetched_count: eb('fetched_count', '+', read) }))
    .where('entity_id', '=', entityId)
    .where('relation', '=', relation)
    .execute()
}

export async function completeRelation(tx: Tx, entityId: number, relation: string): Promise<void> {
  const query = tx.updateTable('bulk_import_relations').set({ is_complete: true }).where('entity_id', '=', entityId)
  await query.where('relation', '=', relation).execute()
}

/** The failures of imports that an entity repeats. */
export async function repeatedFailures(db: Reader, entityId: number): Promise<Set<number>> {
  const query = db.selectFrom('bulk_import_failures').select('transfer_failure_id').where('entity_id', '=', entityId)
  const found = await query.where('transfer_failure_id', 'is not', null).execute()
  return new Set(found.map(({ transfer_failure_id: id }) => id as number))
}
