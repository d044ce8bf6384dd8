import './tables.ts'
import type { Module } from '../../platform/index.ts'
import * as assignments from './assignments/operations.ts'
import * as lists from './lists/operations.ts'
import * as management from './management/operations.ts'
import * as registration from './registration/operations.ts'
import { resetOperations } from './registration/reset-token.ts'
import * as requests from './requests/operations.ts'
import * as work from './work/operations.ts'

export { runnersOfJobs } from './core/load.ts'
export { deleteRunnersOfProject, runnersByIds } from './core/store.ts'
export { groupRunnersList, projectRunnersList, runnersAll } from './lists/operations.ts'
export { runnersCreate } from './management/operations.ts'
export { variablesOfEndedJob } from './payload/ended-job.ts'
export type { RunnerRow } from './tables.ts'

/** Runners, and the protocol by which they take jobs (contract 04). */
export const runners: Module = {
  name: 'runners',
  tags: { Runners: 'Programs that run the jobs of pipelines, and the protocol that they speak.' },
  operations: [
    ...[management, lists, assignments, registration, requests, work].flatMap((room) => Object.values(room)),
    ...resetOperations,
  ],
}
