import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { removeFilesJob, secureFileProblems, sweepFilesJob } from './removal.ts'

export { removeSecureFiles } from './removal.ts'
export { secureFileKeys, secureFilesOfProject } from './store.ts'

/** Files of projects that jobs need, such as certificates, encrypted where they are stored (contract 24). */
export const secureFiles: Module = {
  name: 'secure-files',
  tags: { 'Secure files': 'Files for jobs, such as certificates, encrypted where they are stored.' },
  operations: Object.values(operations),
  jobs: [removeFilesJob, sweepFilesJob],
  checks: [secureFileProblems],
}
