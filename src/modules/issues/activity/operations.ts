import type { ProjectAbility } from '../../access/index.ts'
import {
  type IssuableKind,
  noteAccess,
  noteCommands,
  ownerOf,
  participationOperations,
  resourceEventOperations,
  timeTrackingOperations,
} from '../../issuables/index.ts'
import { type ConversationKind, conversationOperations } from '../../notes/index.ts'
import { type Issue, issuableOf, issue, levelIn } from '../core/access.ts'
import { presentIssue } from '../present/present.ts'
import { IssueObject } from '../present/schema.ts'
import { issueCommands } from './commands.ts'

/** Issues, for the operations that all kinds of issuables have. */
const kind: IssuableKind<Issue, ProjectAbility> & ConversationKind<Issue, ProjectAbility> = {
  type: 'Issue',
  name: 'issue',
  contract: 'issue',
  noun: 'an issue',
  tag: 'Issues',
  path: '/projects/:id/issues/:issue_iid',
  subject: issue,
  show: 'read_issues',
  read: 'read_issue_activity',
  write: 'take_part_in_issues',
  result: IssueObject,
  present: (platform, { row }, actor) => presentIssue(platform, row, actor),
  issuableOf: ({ row }) => issuableOf(row),
  parentOf: ({ project }) => ownerOf(project),
  commands: noteCommands(issueCommands),
  accessOf: ({ row, project }, actor, platform) =>
    noteAccess(platform, issuableOf(row), actor, { level: levelIn(actor, project) }),
}

export const conversation = conversationOperations(kind)
export const participation = participationOperations(kind)
export const events = resourceEventOperations(kind)
export const timeTracking = timeTrackingOperations({ ...kind, track: 'plan_issues' })
