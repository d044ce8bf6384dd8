import type { Module } from '../../platform/index.ts'
import { sweepExportsJob, watchExportsJob } from './cleaning/cleaning.ts'
import { removeRunJob } from './cleaning/removal.ts'
import { relationExportTwins } from './core/operations.ts'
import { exportRelationJob } from './running/job.ts'

export { removeExportsOfGroup, removeExportsOfProject } from './cleaning/removal.ts'
export { relationExportTwins } from './core/operations.ts'
export { contributions, relationNamed, relationsOf } from './relations.ts'
export { archive, ndjson, singleObject } from './running/content.ts'
export type { Relation } from './running/relation.ts'

/** Exports of the relations of projects and groups (contract 14). */
export const relationExports: Module = {
  name: 'relation-exports',
  tags: { 'Relation exports': 'Contents of projects and groups, for other instances.' },
  operations: [...Object.values(relationExportTwins.project), ...Object.values(relationExportTwins.group)],
  jobs: [exportRelationJob, removeRunJob, watchExportsJob, sweepExportsJob],
}
