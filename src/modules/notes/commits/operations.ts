import { pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { commit } from '../../commits/index.ts'
import { discussionOperations } from '../discussions/operations.ts'
import { CommitNote } from '../discussions/present.ts'
import { commitNoteAccess, createComment, listComments, newComment } from './comments.ts'
import { positionParam, requirePosition } from './position.ts'

const tag = 'Commit discussions'
const commitPath = '/projects/:id/repository/commits/:sha'
const comments = { path: `${commitPath}/comments`, tag, subject: commit } as const

export const commitsComments = operation({
  ...comments,
  id: 'commits.comments',
  contract: 'x.commits_comments',
  method: 'GET',
  summary: 'List the comments on a commit, oldest first',
  allow: 'read_code',
  scopes: reading,
  result: [200, pageOf(CommitNote)],
  run: ({ platform, subject, page }) => listComments(platform, subject, page),
})

export const commitsComment = operation({
  ...comments,
  id: 'commits.comment',
  contract: 'x.commits_comment_create',
  method: 'POST',
  summary: 'Comment on a commit, or on a line that it changes',
  allow: 'comment_on_commits',
  scopes: writing,
  params: newComment,
  result: [201, CommitNote],
  run: ({ platform, subject, actor, params }) => createComment(platform, subject, actor, params),
})

/** Discussions of commits (contract 22, x.commits_discussion_*). */
export const commitDiscussions = discussionOperations({
  name: 'commit',
  noun: 'a commit',
  tag,
  path: commitPath,
  subject: commit,
  read: 'read_code',
  write: 'comment_on_commits',
  contracts: {
    list: 'x.commits_discussions',
    get: 'x.commits_discussion_get',
    create: 'x.commits_discussion_create',
    notes: 'x.commits_discussion_notes',
    reply: 'x.commits_discussion_note',
    get_note: 'x.commits_discussion_note_get',
    update_note: 'x.commits_discussion_note_put',
    delete_note: 'x.commits_discussion_note_del',
  },
  accessOf: commitNoteAccess,
  position: {
    param: positionParam,
    find: (_platform, { opened, commit }, given) => requirePosition(opened.repository, commit, given),
  },
})
