import type { Module } from '../../platform/index.ts'
import * as pullOperations from './pull/operations.ts'
import { pullRuns } from './pull/run.ts'
import { pushedJob } from './push/after-push.ts'
import * as pushOperations from './push/operations.ts'
import { pushRuns } from './push/run.ts'
import { mirrorJob, sweepJob } from './schedule.ts'

export { pullFrom } from './pull/mirror.ts'
export { updatePushMirrors } from './push/after-push.ts'

/** Mirrors: projects that are pushed to other repositories, and projects that are pulled from them (contract 22). */
export const mirrors: Module = {
  name: 'mirrors',
  tags: {
    'Pull mirrors': 'Mirroring of another repository into a project.',
    'Push mirrors': 'Mirroring of a project to other repositories.',
  },
  operations: [...Object.values(pushOperations), ...Object.values(pullOperations)],
  jobs: [sweepJob, mirrorJob(pushRuns), mirrorJob(pullRuns), pushedJob],
}
