import type { Actor } from '../../api/index.ts'
import { nested, pathNumber } from '../../platform/index.ts'
import type { ProjectAbility } from '../access/index.ts'
import type { Issuable } from '../issuables/index.ts'
import { type Project, project } from '../projects/index.ts'
import { mergeRequestByIid } from './core/store.ts'
import type { MergeRequestRow } from './tables.ts'

/** A merge request with its project, in which the caller's role is known. */
export type ProjectMergeRequest = { project: Project; row: MergeRequestRow }

/** The subject of operations below a merge request (contract 19). */
export const mergeRequest = nested<Project, ProjectAbility, ProjectMergeRequest>(project, {
  name: 'merge_request',
  parameter: 'merge_request_iid',
  read: 'read_merge_requests',
  async find({ database }, project, iid) {
    const row = await mergeRequestByIid(database.read, project.id, pathNumber('merge_request_iid', iid))
    return row && { project, row }
  },
  parentOf: ({ project }) => project,
})

/** A merge request as what all issuables have in common sees it. */
export function issuableOf(row: MergeRequestRow): Issuable {
  const { id, iid, project_id, author_id, title, description, state, discussion_locked } = row
  return {
    ...{ type: 'MergeRequest', id, iid, projectId: project_id, groupId: null, commitId: null },
    ...{ authorId: author_id, title, description, state, confidential: false },
    discussionLocked: discussion_locked ?? false,
  }
}

/** Whether the caller wrote the merge request. */
export function isAuthor(actor: Actor, { author_id }: Pick<MergeRequestRow, 'author_id'>): boolean {
  return actor.kind === 'user' && actor.userId === author_id
}
