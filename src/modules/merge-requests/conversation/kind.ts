import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectAbility } from '../../access/index.ts'
import {
  type IssuableKind,
  noteAccess,
  ownerOf,
  participationOperations,
  resourceEventOperations,
  timeTrackingOperations,
} from '../../issuables/index.ts'
import { type ConversationKind, conversationOperations, type GivenPosition, positionParam } from '../../notes/index.ts'
import { isPlanner } from '../core/plan.ts'
import { MergeRequest } from '../core/schema.ts'
import { currentRow, presentSingle } from '../core/single.ts'
import { isAuthor, issuableOf, mergeRequest, type ProjectMergeRequest } from '../subject.ts'
import { positionOf } from './position.ts'
import { noteParams, quickActions } from './quick-actions.ts'

/** What the caller may do with the notes of a merge request. Its author may resolve threads, too (contract 19, x.mr_disc_resolve). */
export function accessOf({ project, row }: ProjectMergeRequest, actor: Actor, platform: Platform) {
  const mayResolve = isPlanner(actor, project) || isAuthor(actor, row)
  return noteAccess(platform, issuableOf(row), actor, { level: project.role.level, mayResolve })
}

const kind: IssuableKind<ProjectMergeRequest, ProjectAbility> &
  ConversationKind<ProjectMergeRequest, ProjectAbility, GivenPosition> = {
  type: 'MergeRequest',
  name: 'merge_request',
  contract: 'mr',
  noun: 'a merge request',
  tag: 'Merge requests',
  path: '/projects/:id/merge_requests/:merge_request_iid',
  subject: mergeRequest,
  show: 'read_merge_requests',
  read: 'follow_merge_requests',
  write: 'comment_on_merge_requests',
  result: MergeRequest,
  present: async (platform, found, actor) =>
    presentSingle(platform, { ...found, row: await currentRow(platform, found.row.id) }, actor),
  issuableOf: ({ row }) => issuableOf(row),
  parentOf: ({ project }) => ownerOf(project),
  accessOf,
  hasResolvableThreads: true,
  position: { param: positionParam, find: positionOf },
  commands: quickActions,
  noteParams,
  jobsReadNotes: true,
}

/** Notes, threads, reactions, subscriptions, to-dos, participants, time tracking and events (contract 16, 18 and 19). */
export const talkOperations = [
  ...conversationOperations(kind),
  ...participationOperations(kind),
  ...timeTrackingOperations({ ...kind, track: 'create_merge_requests' }),
  ...resourceEventOperations(kind),
]
