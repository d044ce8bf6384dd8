import type { Module } from '../../platform/index.ts'
import { importGroupJob } from './importing/job.ts'
import * as operations from './operations.ts'

export { archiveFiles } from './exporting.ts'
export {
  groupExportDownload,
  groupExportGet,
  groupExportStart,
  groupImportCreate,
  groupImportGet,
} from './operations.ts'

/** Groups as one file, and groups made of such files (contract 25, Archives). */
export const groupArchives: Module = {
  name: 'group-archives',
  tags: { 'Group archives': 'Groups as one file, and groups made of such files.' },
  operations: Object.values(operations),
  jobs: [importGroupJob],
}
