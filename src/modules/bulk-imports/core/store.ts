import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import {
  type BulkImportRow,
  bulkImportEntities,
  bulkImportFailures,
  bulkImports,
  type EntityRow,
  type FailureRow,
  type RelationRow,
  type State,
} from '../tables.ts'

export const { byId: migrationById, insert: insertMigration, update: updateMigration } = rows(bulkImports)
export const { byId: entityById, insert: insertEntity, insertAll: insertEntities } = rows(bulkImportEntities)
export const { insert: insertFailure, insertAll: insertFailures } = rows(bulkImportFailures)

/** What a list of all migrations or entities of a user is restricted to, and its direction. */
type OfUser = { userId: number; status?: State | undefined; sort: 'asc' | 'desc' }

/** A page of the migrations of a user, by creation. */
export function pageOfMigrations(db: Reader, { userId, status, sort }: OfUser, page: PageRequest) {
  const own = db.selectFrom('bulk_imports').selectAll().where('user_id', '=', userId)
  const query = status === undefined ? own : own.where('status', '=', status)
  return pageOfRows(db, query.orderBy('created_at', sort).orderBy('id', sort), page)
}

/** A page of the entities of all migrations of a user, by creation. */
export function pageOfEntities(db: Reader, { userId, status, sort }: OfUser, page: PageRequest) {
  const own = db.selectFrom('bulk_import_entities').selectAll().where('user_id', '=', userId)
  const query = status === undefined ? own : own.where('status', '=', status)
  return pageOfRows(db, query.orderBy('created_at', sort).orderBy('id', sort), page)
}

/** A page of the entities of a migration, by id. */
export function pageOfEntitiesOf(db: Reader, migrationId: number, status: State | undefined, page: PageRequest) {
  const all = db.selectFrom('bulk_import_entities').selectAll().where('bulk_import_id', '=', migrationId)
  const query = status === undefined ? all : all.where('status', '=', status)
  return pageOfRows(db, query.orderBy('id'), page)
}

/** A page of the failures of an entity, by id. */
export function pageOfFailures(db: Reader, entityId: number, page: PageRequest): Promise<Page<FailureRow>> {
  const query = db.selectFrom('bulk_import_failures').selectAll().where('entity_id', '=', entityId)
  return pageOfRows(db, query.orderBy('id'), page)
}

const shownFailures = 100

/** The first failures of entities, by entity. */
export async function firstFailures(db: Reader, entityIds: readonly number[]): Promise<Map<number, FailureRow[]>> {
  if (entityIds.length === 0) return new Map()
  const ranked = db
    .selectFrom('bulk_import_failures')
    .selectAll()
    .select(sql<number>`row_number() over (partition by entity_id order by id)`.as('place'))
    .where(within(db, 'entity_id', entityIds))
  const query = db.selectFrom(ranked.as('ranked')).selectAll().where('place', '<=', shownFailures)
  return Map.groupBy(await query.orderBy('id').execute(), ({ entity_id }) => entity_id)
}

/** How much was imported of the relations of entities, by entity. */
export async function countedRelations(db: Reader, entityIds: readonly number[]): Promise<Map<number, RelationRow[]>> {
  if (entityIds.length === 0) return new Map()
  const query = db.selectFrom('bulk_import_relations').selectAll()
  const found = await query
    .where(within(db, 'entity_id', entityIds))
    .orderBy('entity_id')
    .orderBy('relation')
    .execute()
  return Map.groupBy(found, ({ entity_id }) => entity_id)
}

/** Changes a migration that has not ended. @returns null when it has */
export async function changeUnfinished(
  tx: Tx,
  id: number,
  changes: Partial<Pick<BulkImportRow, 'status' | 'sealed_token' | 'has_failures' | 'updated_at'>>,
): Promise<BulkImportRow | null> {
  const query = tx.updateTable('bulk_imports').set(changes).where('id', '=', id)
  return (await query.where('status', 'in', ['created', 'started']).returningAll().executeTakeFirst()) ?? null
}

/** The states in which the entities of a migration are. */
export async function statesOfEntities(db: Reader, migrationId: number): Promise<Set<EntityRow['status']>> {
  const query = db.selectFrom('bulk_import_entities').select('status').where('bulk_import_id', '=', migrationId)
  return new Set((await query.distinct().execute()).map(({ status }) => status))
}
