import type { ProjectAbility } from '../../access/index.ts'
import {
  type ConversationKind,
  conversationOperations,
  ownerOf,
  participationOperations,
  resourceEventOperations,
  timeTrackingOperations,
} from '../../issuables/index.ts'
import { type GivenPosition, positionParam } from '../../notes/index.ts'
import { MergeRequest } from '../core/schema.ts'
import { currentRow, presentSingle } from '../core/single.ts'
import { issuableOf, mergeRequest, type ProjectMergeRequest } from '../subject.ts'
import { accessOf } from './access.ts'
import { positionOf } from './position.ts'
import { noteParams, quickActions } from './quick-actions.ts'

const kind: ConversationKind<ProjectMergeRequest, ProjectAbility, GivenPosition> = {
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
  position: { param: positionParam, find: positionOf },
  commands: quickActions,
  noteParams,
}

/** Notes, threads, reactions, subscriptions, to-dos, participants, time tracking and events (contract 16, 18 and 19). */
export const talkOperations = [
  ...conversationOperations(kind),
  ...participationOperations(kind),
  ...timeTrackingOperations({ ...kind, track: 'create_merge_requests' }),
  ...resourceEventOperations(kind),
]
