import type { Module } from '../../platform/index.ts'
import * as operations from './core/operations.ts'
import { watchMigrationsJob } from './running/ending.ts'
import { importEntityJob } from './running/job.ts'

export {
  bulkImportsCancel,
  bulkImportsCreate,
  bulkImportsEntities,
  bulkImportsFailures,
  bulkImportsGet,
  bulkImportsList,
} from './core/operations.ts'

/** Migrations of groups and projects from other instances (contract 25). */
export const bulkImports: Module = {
  name: 'bulk-imports',
  tags: { Migrations: 'Migrations of groups and projects from other instances.' },
  operations: Object.values(operations),
  jobs: [importEntityJob, watchMigrationsJob],
}
