import type { Module } from '../../platform/index.ts'
import * as exporting from './exporting/operations.ts'
import { importProjectJob } from './importing/job.ts'
import * as importing from './importing/operations.ts'

export { projectFiles } from './exporting/files.ts'
export { projectExportDownload, projectExportGet, projectExportStart } from './exporting/operations.ts'
export { projectImport, projectImportGet } from './importing/operations.ts'

/** Projects as one file, and projects made of such files (contract 25, Archives). */
export const projectArchives: Module = {
  name: 'project-archives',
  tags: { 'Project archives': 'Projects as one file, and projects made of such files.' },
  operations: [...Object.values(exporting), ...Object.values(importing)],
  jobs: [importProjectJob],
}
