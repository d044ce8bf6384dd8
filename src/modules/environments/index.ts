import type { Module } from '../../platform/index.ts'
import * as core from './core/operations.ts'
import { dueEnvironmentsJob } from './stopping/due.ts'
import { stopStaleJob } from './stopping/stale.ts'

/** Environments, to which jobs deploy (contract 24). */
export const environments: Module = {
  name: 'environments',
  tags: { Environments: 'Environments of a project, to which jobs deploy.' },
  operations: Object.values(core),
  jobs: [dueEnvironmentsJob, stopStaleJob],
}
