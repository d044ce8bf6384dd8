import {
  type Actor,
  forbidden,
  isAdministrator,
  notFound,
  type PageRequest,
  recordNotFound,
  requireSignedIn,
} from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import { type Platform, recordAct } from '../../../platform/index.ts'
import { cancelEntities } from '../running/ending.ts'
import type { BulkImportRow, EntityRow, State } from '../tables.ts'
import type { ListFilter } from './params.ts'
import { BulkImport, BulkImportEntity, BulkImportFailure } from './present.ts'
import * as store from './store.ts'

const ofUser = (actor: Actor, { status, sort = 'desc' }: ListFilter) => ({
  userId: requireSignedIn(actor).userId,
  status,
  sort,
})

/** A page of the caller's migrations (contract 25, x.bulk_import_list). */
export async function listMigrations({ database }: Platform, actor: Actor, filter: ListFilter, page: PageRequest) {
  const found = await store.pageOfMigrations(database.read, ofUser(actor, filter), page)
  return { ...found, items: found.items.map((row) => BulkImport.present(row)) }
}

/** A page of the entities of all migrations of the caller (contract 25, x.bulk_import_all_entities). */
export async function listAllEntities({ database }: Platform, actor: Actor, filter: ListFilter, page: PageRequest) {
  const found = await store.pageOfEntities(database.read, ofUser(actor, filter), page)
  return { ...found, items: await BulkImportEntity.presentAll(found.items, { db: database.read }) }
}

/** A migration of the caller. @throws ApiError 404 */
async function requireOwn(db: Reader, actor: Actor, id: number): Promise<BulkImportRow> {
  const row = await store.migrationById(db, id)
  if (!row || row.user_id !== requireSignedIn(actor).userId) throw recordNotFound()
  return row
}

/** @throws ApiError 404 */
async function requireEntity(db: Reader, actor: Actor, migrationId: number, entityId: number): Promise<EntityRow> {
  const migration = await requireOwn(db, actor, migrationId)
  const row = await store.entityById(db, entityId)
  if (row?.bulk_import_id !== migration.id) throw recordNotFound()
  return row
}

/** Gets a migration of the caller (contract 25, x.bulk_import_get). @throws ApiError 404 */
export async function getMigration({ database }: Platform, actor: Actor, id: number) {
  return BulkImport.present(await requireOwn(database.read, actor, id))
}

/** A page of the entities of a migration (contract 25, x.bulk_import_entities). @throws ApiError 404 */
export async function listEntities(
  { database }: Platform,
  actor: Actor,
  { import_id, status }: { import_id: number; status?: State },
  page: PageRequest,
) {
  const { id } = await requireOwn(database.read, actor, import_id)
  const found = await store.pageOfEntitiesOf(database.read, id, status, page)
  return { ...found, items: await BulkImportEntity.presentAll(found.items, { db: database.read }) }
}

type EntityInPath = { import_id: number; entity_id: number }

/** Gets an entity of a migration (contract 25, x.bulk_import_entity). @throws ApiError 404 */
export async function getEntity({ database }: Platform, actor: Actor, { import_id, entity_id }: EntityInPath) {
  const row = await requireEntity(database.read, actor, import_id, entity_id)
  return BulkImportEntity.presentOne(row, { db: database.read })
}

/** A page of the failures of an entity (contract 25, x.bulk_import_failures). @throws ApiError 404 */
export async function listFailures(
  { database }: Platform,
  actor: Actor,
  { import_id, entity_id }: EntityInPath,
  page: PageRequest,
) {
  const { id } = await requireEntity(database.read, actor, import_id, entity_id)
  const found = await store.pageOfFailures(database.read, id, page)
  return { ...found, items: found.items.map((row) => BulkImportFailure.present(row)) }
}

/**
 * Cancels a migration with its entities; what was imported stays. One that has ended is unchanged (contract 25, x.bulk_import_cancel).
 * @throws ApiError 404, 403 for callers who neither created it nor are administrators
 */
export async function cancelMigration(platform: Platform, actor: Actor, id: number) {
  const { database, clock } = platform
  const { userId } = requireSignedIn(actor)
  return database.write(async (tx) => {
    const row = await store.migrationById(tx, id)
    if (!row) throw notFound()
    if (row.user_id !== userId && !isAdministrator(actor)) throw forbidden()
    const at = now(clock)
    const changes = { status: 'canceled', sealed_token: null, updated_at: at } as const
    const canceled = await store.changeUnfinished(tx, id, changes)
    if (!canceled) return BulkImport.present((await store.migrationById(tx, id)) ?? row)
    await cancelEntities(platform, tx, id)
    if (row.user_id !== userId) {
      await recordAct(platform, tx, actor, { name: 'bulk_imports.cancel', target: { kind: 'user', id: row.user_id } })
    }
    return BulkImport.present(canceled)
  })
}
