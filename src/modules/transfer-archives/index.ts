import type { Module } from '../../platform/index.ts'
import { archiveProblems, expireArchivesJob, sweepArchivesJob } from './exporting/cleaning.ts'
import { exportArchiveJob } from './exporting/job.ts'
import { removeArchiveJob } from './removal.ts'

export { downloadArchive, exportState, exportStates, limitTransfers, startExport } from './exporting/exports.ts'
export { fileOfLines, fileOfText, fileOfUsers, versionFiles } from './exporting/files.ts'
export type { Exporting } from './exporting/job.ts'
export { uploadMethods } from './exporting/upload.ts'
export { discardArchive, largestArchive, storeForImport, unpackImport } from './importing/archives.ts'
export { isOutage, mostRuns } from './importing/failures.ts'
export { beginImport, endImport, recordImport, setArchive } from './importing/imports.ts'
export { importedGroupRelations, importedProjectRelations, type RelationImport } from './importing/relations.ts'
export { type ImportRun, importFiles, importLines, importStep } from './importing/steps.ts'
export { failuresOf, importOf } from './importing/store.ts'
export { readUsers } from './importing/users.ts'
export { ImportProblem } from './problem.ts'
export { linesOfText, type ReadLine } from './reading/lines.ts'
export { mostUnpackedBytes, type Unpacked, unpack } from './reading/unpacked.ts'
export { removeArchivesOfGroup, removeArchivesOfProject } from './removal.ts'
export type { TransferFailureRow, TransferImportRow } from './tables.ts'

/** What archives of projects and of groups have in common: how they are written, stored and read (contract 25, Archives). */
export const transferArchives: Module = {
  name: 'transfer-archives',
  operations: [],
  jobs: [exportArchiveJob, removeArchiveJob, expireArchivesJob, sweepArchivesJob],
  checks: [archiveProblems],
}
