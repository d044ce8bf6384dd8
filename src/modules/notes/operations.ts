import {
  type Context,
  nothing,
  type Operation,
  operation,
  type ParamSet,
  pageOf,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../api/index.ts'
import type { Project, ProjectSubject } from '../projects/index.ts'
import type { At, CommitNotes, NoteAt } from './commit-notes.ts'
import { positionParam } from './position.ts'
import { CommitNote, Discussion, Note } from './present.ts'

const tag = 'Commit discussions'
const commitPath = '/projects/:id/repository/commits/:sha'
const discussionsPath = `${commitPath}/discussions`
const notesPath = `${discussionsPath}/:discussion_id/notes`

const body = t.string({ description: 'Markdown; up to 1,000,000 characters.' })
const numericPath = { note_id: 'invalid' } as const

type Asked = Pick<Context<unknown, Project, string, ParamSet>, 'subject' | 'actor' | 'request'>

const at = ({ subject, actor, request }: Asked): At => ({ project: subject, actor, revision: request.path.sha ?? '' })
const discussionId = ({ request }: Asked) => request.path.discussion_id ?? ''
const noteAt = (asked: Asked): NoteAt => ({
  ...at(asked),
  discussionId: discussionId(asked),
  // No row has a number beyond.
  noteId: Math.min(Number(asked.request.path.note_id), Number.MAX_SAFE_INTEGER),
})

type Needs = { notes: CommitNotes; project: ProjectSubject }

function commentOperations({ notes, project }: Needs): Operation[] {
  const path = `${commitPath}/comments`
  return [
    operation({
      id: 'commits.comments',
      contract: 'x.commits_comments',
      method: 'GET',
      path,
      tag,
      summary: 'List the comments on a commit, oldest first',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      result: [200, pageOf(CommitNote)],
      run: (asked) => notes.comments(at(asked), asked.page),
    }),
    operation({
      id: 'commits.comment',
      contract: 'x.commits_comment_create',
      method: 'POST',
      path,
      tag,
      summary: 'Comment on a commit, or on a line that it changes',
      subject: project,
      allow: 'comment_on_commits',
      scopes: writing,
      params: {
        note: t.required(body),
        path: t.string({ description: 'A file that the commit changes.' }),
        line: t.integer({ description: 'Number of the line; needed with `path`.' }),
        line_type: t.oneOf(['new', 'old'], {
          description: 'Whether the line was added or removed; needed with `path`.',
        }),
      },
      result: [201, CommitNote],
      run: (asked) => notes.comment(at(asked), asked.params),
    }),
  ]
}

function discussionOperations({ notes, project }: Needs): Operation[] {
  return [
    operation({
      id: 'commit_discussions.list',
      contract: 'x.commits_discussions',
      method: 'GET',
      path: discussionsPath,
      tag,
      summary: 'List the discussions about a commit, oldest first',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      result: [200, pageOf(Discussion)],
      run: (asked) => notes.discussions(at(asked), asked.page),
    }),
    operation({
      id: 'commit_discussions.get',
      contract: 'x.commits_discussion_get',
      method: 'GET',
      path: `${discussionsPath}/:discussion_id`,
      tag,
      summary: 'Get a discussion about a commit',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      result: [200, Discussion],
      run: (asked) => notes.discussion(at(asked), discussionId(asked)),
    }),
    operation({
      id: 'commit_discussions.create',
      contract: 'x.commits_discussion_create',
      method: 'POST',
      path: discussionsPath,
      tag,
      summary: 'Begin a discussion about a commit, or about a line of its diff',
      subject: project,
      allow: 'comment_on_commits',
      scopes: writing,
      params: {
        body: t.required(body),
        position: positionParam,
        created_at: t.datetime({
          description: 'For owners of the project and administrators; from others it is ignored.',
        }),
      },
      result: [201, Discussion],
      run: (asked) => notes.start(at(asked), asked.params),
    }),
  ]
}

function noteOperations({ notes, project }: Needs): Operation[] {
  const shared = { tag, subject: project, path: `${notesPath}/:note_id`, numericPath }
  const writes = { ...shared, allow: 'comment_on_commits' as const, scopes: writing }
  return [
    operation({
      id: 'commit_discussions.reply',
      contract: 'x.commits_discussion_note',
      method: 'POST',
      path: notesPath,
      tag,
      summary: 'Answer in a discussion about a commit',
      subject: project,
      allow: 'comment_on_commits',
      scopes: writing,
      params: { body: t.required(body) },
      result: [201, Note],
      run: (asked) => notes.reply(at(asked), discussionId(asked), asked.params.body),
    }),
    operation({
      ...shared,
      id: 'commit_discussions.get_note',
      contract: 'x.commits_discussion_note_get',
      method: 'GET',
      summary: 'Get a note of a discussion about a commit',
      allow: 'read_code',
      scopes: reading,
      result: [200, Note],
      run: (asked) => notes.note(noteAt(asked)),
    }),
    operation({
      ...writes,
      id: 'commit_discussions.update_note',
      contract: 'x.commits_discussion_note_put',
      method: 'PUT',
      summary: 'Change a note of a discussion about a commit',
      description: 'For who wrote it, and for maintainers of the project.',
      params: { body: t.string({ blank: false, description: 'Markdown; up to 1,000,000 characters.' }) },
      result: [200, Note],
      run: (asked) => notes.edit(noteAt(asked), asked.params.body),
    }),
    operation({
      ...writes,
      id: 'commit_discussions.delete_note',
      contract: 'x.commits_discussion_note_del',
      method: 'DELETE',
      summary: 'Delete a note of a discussion about a commit',
      description: 'For who wrote it, and for maintainers of the project. The last note takes the discussion along.',
      result: [204, nothing],
      run: (asked) => notes.remove(noteAt(asked), (updatedAt) => requireUnmodified(asked.request, updatedAt)),
    }),
  ]
}

/** What people say of commits (contract 22, x.commits_comments, x.commits_discussion_*). */
export function commitNoteOperations(needs: Needs): Operation[] {
  return [...commentOperations(needs), ...discussionOperations(needs), ...noteOperations(needs)]
}
