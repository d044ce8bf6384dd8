import type { Module } from '../../platform/index.ts'
import './tables.ts'
import * as activity from './activity/operations.ts'
import * as children from './children/operations.ts'
import * as core from './core/operations.ts'
import * as issues from './issues/operations.ts'
import * as links from './links/operations.ts'
import * as lists from './lists/operations.ts'

export { moveEpics } from './core/epics.ts'
export { epicsCreate, epicsDelete, epicsGet, epicsUpdate } from './core/operations.ts'
export { readableEpicsAt } from './core/readable.ts'
export { exportedEpics, exportedEpicsOfIssues } from './export/lines.ts'
export { importEpic, importEpicLinks, importEpicOfIssue, importEpicParent } from './import/lines.ts'
export { epicsOfIssues, inConfidentialEpic, setEpicOfIssue } from './issues/answers.ts'
export { epicIssuesAdd, epicIssuesList, epicIssuesMove, epicIssuesRemove } from './issues/operations.ts'
export { issuesInEpic } from './issues/store.ts'
export { epicsList } from './lists/operations.ts'

/** Epics of groups, and the issues that belong to them (contract 17). */
export const epics: Module = {
  name: 'epics',
  tags: { Epics: 'Epics of groups, and the issues that belong to them.' },
  operations: [core, lists, issues, activity, children, links].flatMap((room) => Object.values(room).flat()),
}
