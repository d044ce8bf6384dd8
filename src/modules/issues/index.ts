import './events.ts'
import './tables.ts'
import type { Module } from '../../platform/index.ts'
import * as activity from './activity/operations.ts'
import * as core from './core/operations.ts'
import * as links from './links/operations.ts'
import { milestoneBurndown } from './lists/burndown.ts'
import * as lists from './lists/operations.ts'
import * as mergeRequests from './merge-requests/operations.ts'
import * as moves from './moves/operations.ts'
import * as positions from './positions/operations.ts'
import { followPushJob } from './pushes/pushes.ts'
import * as tasks from './tasks/operations.ts'

export { closeIncident, incidentFacts, openIncident, presentIncident } from './answers/incidents.ts'
export { issueAnswers, openIssueCounts } from './answers/issuables.ts'
export { issueCountsOfLabels } from './answers/labels.ts'
export { type Issue, issue, levelIn, readableAmong } from './core/access.ts'
export { closeIssues } from './core/close.ts'
export { issuesCreate, issuesDelete, issuesGet, issuesUpdate } from './core/operations.ts'
export { holdIssue, issueById, issuesByIds } from './core/store.ts'
export type { FollowUp } from './events.ts'
export { exportedIssues } from './export/lines.ts'
export { importIssue } from './import/lines.ts'
export { issueLinksCreate, issueLinksDelete, issueLinksList } from './links/operations.ts'
export { countAssignedIssues, countNewIssues, listIssues } from './lists/lists.ts'
export {
  groupIssuesList,
  groupIssuesStatistics,
  issuesList,
  issuesStatistics,
  projectIssuesList,
  projectIssuesStatistics,
} from './lists/operations.ts'
export { issueClosedBy, issueRelatedMergeRequests } from './merge-requests/operations.ts'
export { issuesClone, issuesMove } from './moves/operations.ts'
export { presentIssues } from './present/present.ts'
export { IssueBasic, ListedIssue, type PresentedEpic } from './present/schema.ts'
export { followPushes } from './pushes/pushes.ts'
export {
  dropIterations,
  dropMilestone,
  dropUnusableIterations,
  mergeMilestones,
  moveIssues,
  rollOverIssues,
  touchChanged,
  touchNoted,
} from './reactions.ts'
export { milestonesOfIssues } from './store.ts'
export type { IssueRow } from './tables.ts'
export { issueTasksUpdate } from './tasks/operations.ts'

/** Issues (contract 16). */
export const issues: Module = {
  name: 'issues',
  tags: { Issues: 'The issue tracker of projects: issues, their lists with all filters, statistics and links.' },
  operations: [
    ...[core, lists, links, positions, moves, tasks, mergeRequests, activity].flatMap((room) => Object.values(room)),
    milestoneBurndown,
  ].flat(),
  jobs: [followPushJob],
}
