import { type InstanceAbility, instance, notFound, pageOf, reading, writing } from '../../../api/index.ts'
import { operation, type Platform, type Subject } from '../../../platform/index.ts'
import { createMigration } from './create.ts'
import * as migrations from './migrations.ts'
import { entityInPath, idInPath, listFilter, newMigration, statusFilter } from './params.ts'
import { BulkImport, BulkImportEntity, BulkImportFailure } from './present.ts'

/** The instance, where migrations are switched on: elsewhere they do not exist for anyone (contract 25, 9). */
const instanceWithMigrations: Subject<undefined, InstanceAbility> = {
  ...instance,
  async find({ settings }: Platform) {
    if (!(await settings.current()).bulk_import_enabled) throw notFound()
    return undefined
  },
}

const shared = { tag: 'Migrations', subject: instanceWithMigrations, allow: 'authenticated' } as const
const read = { ...shared, method: 'GET', scopes: reading } as const
const write = { ...shared, method: 'POST', scopes: writing } as const

export const bulkImportsCreate = operation({
  ...write,
  id: 'bulk_imports.create',
  contract: 'x.bulk_import_create',
  path: '/bulk_imports',
  summary: 'Start a migration of groups and projects from another instance',
  params: newMigration,
  result: [201, BulkImport],
  run: ({ platform, actor, params, request }) => createMigration(platform, actor, params, request.signal),
})

export const bulkImportsList = operation({
  ...read,
  id: 'bulk_imports.list',
  contract: 'x.bulk_import_list',
  path: '/bulk_imports',
  summary: 'List the migrations of the caller',
  params: listFilter,
  result: [200, pageOf(BulkImport)],
  run: ({ platform, actor, params, page }) => migrations.listMigrations(platform, actor, params, page),
})

export const bulkImportsAllEntities = operation({
  ...read,
  id: 'bulk_imports.all_entities',
  contract: 'x.bulk_import_all_entities',
  path: '/bulk_imports/entities',
  summary: 'List the groups and projects of all migrations of the caller',
  params: listFilter,
  result: [200, pageOf(BulkImportEntity)],
  run: ({ platform, actor, params, page }) => migrations.listAllEntities(platform, actor, params, page),
})

export const bulkImportsGet = operation({
  ...read,
  id: 'bulk_imports.get',
  contract: 'x.bulk_import_get',
  path: '/bulk_imports/:import_id',
  summary: 'Get a migration of the caller',
  params: idInPath,
  result: [200, BulkImport],
  run: ({ platform, actor, params }) => migrations.getMigration(platform, actor, params.import_id),
})

export const bulkImportsEntities = operation({
  ...read,
  id: 'bulk_imports.entities',
  contract: 'x.bulk_import_entities',
  path: '/bulk_imports/:import_id/entities',
  summary: 'List the groups and projects of a migration',
  params: { ...idInPath, ...statusFilter },
  result: [200, pageOf(BulkImportEntity)],
  run: ({ platform, actor, params, page }) => migrations.listEntities(platform, actor, params, page),
})

export const bulkImportsEntity = operation({
  ...read,
  id: 'bulk_imports.entity',
  contract: 'x.bulk_import_entity',
  path: '/bulk_imports/:import_id/entities/:entity_id',
  summary: 'Get a group or project of a migration',
  params: entityInPath,
  result: [200, BulkImportEntity],
  run: ({ platform, actor, params }) => migrations.getEntity(platform, actor, params),
})

export const bulkImportsFailures = operation({
  ...read,
  id: 'bulk_imports.failures',
  contract: 'x.bulk_import_failures',
  path: '/bulk_imports/:import_id/entities/:entity_id/failures',
  summary: 'List what of a group or project could not be imported',
  params: entityInPath,
  result: [200, pageOf(BulkImportFailure)],
  run: ({ platform, actor, params, page }) => migrations.listFailures(platform, actor, params, page),
})

export const bulkImportsCancel = operation({
  ...write,
  id: 'bulk_imports.cancel',
  contract: 'x.bulk_import_cancel',
  path: '/bulk_imports/:import_id/cancel',
  summary: 'Cancel a migration',
  description: 'What has been imported stays. Administrators may cancel those of others.',
  params: idInPath,
  result: [200, BulkImport],
  run: ({ platform, actor, params }) => migrations.cancelMigration(platform, actor, params.import_id),
})
