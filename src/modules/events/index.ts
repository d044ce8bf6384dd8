import type { Module } from '../../platform/index.ts'
import * as operations from './activity/operations.ts'
import { careJob, forgetPushes } from './pushes.ts'

export {
  forgetIssue,
  recordApproval,
  recordEndingMembers,
  recordIssue,
  recordMerge,
  recordNewMembers,
  recordNewProject,
  recordNewRequest,
  recordNote,
  recordRequestState,
} from './activity/record.ts'
export { exportedEvents } from './export.ts'
export { afterPush, careForPushed, pushJob, pushListener, pushOrder } from './pushes.ts'
export { insertEvents } from './store.ts'
export type { PushData, PushedRef, PushRow } from './tables.ts'

export const events: Module = { name: 'events', operations: Object.values(operations), jobs: [careJob, forgetPushes] }
