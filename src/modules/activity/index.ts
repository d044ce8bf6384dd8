import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { eventsList, eventsOfUser } from './operations.ts'
export {
  forgetIssue,
  forgetNote,
  forgetRequest,
  forgetSnippets,
  recordApproval,
  recordEndingMembers,
  recordImportedProject,
  recordIssue,
  recordMerge,
  recordNewMembers,
  recordNewProject,
  recordNewRequest,
  recordNote,
  recordRequestState,
} from './record.ts'

/** What users did, in projects and by user (contract 21, Event). */
export const activity: Module = {
  name: 'activity',
  tags: { Events: 'Activities of users: pushes, and what they did with issues, merge requests and other things.' },
  operations: Object.values(operations),
}
