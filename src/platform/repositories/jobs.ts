import type { AnyJob } from '../jobs.ts'
import { packAllJob, packJob } from './care.ts'
import { settleJob } from './recovery.ts'
import { removeFilesJob, sweepJob } from './removed-files.ts'

/** The jobs of repositories, to be registered at the start. */
export const repositoryJobs: readonly AnyJob[] = [settleJob, packJob, packAllJob, removeFilesJob, sweepJob]
