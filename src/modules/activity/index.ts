import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export {
  forgetIssue,
  forgetNote,
  forgetRequest,
  recordApproval,
  recordEndingMembers,
  recordIssue,
  recordMerge,
  recordNewMembers,
  recordNewProject,
  recordNewRequest,
  recordNote,
  recordRequestState,
} from './record.ts'

/** What users did, in projects and by user (contract 21, Event). */
export const activity: Module = { name: 'activity', operations: Object.values(operations) }
