import { type Actor, nothing, type Operation, type Param, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation, type Platform, type Subject } from '../../../platform/index.ts'
import type { NoteAccess } from '../noteable.ts'
import type { NotePosition } from '../tables.ts'
import * as discussions from './discussions.ts'
import { noteBody } from './params.ts'
import { Discussion, Note } from './present.ts'

type DiscussionOperation = 'list' | 'get' | 'create' | 'reply' | 'get_note' | 'update_note' | 'delete_note'

/** A kind of noteables, for the declaration of its operations. */
export type NoteableKind<S, A extends string, Position = never> = {
  /** Begins the ids of operations: `commit` in `commit_discussions.list`. */
  name: string
  /** In texts, such as `a commit`. */
  noun: string
  tag: string
  /** Path of a noteable, such as `/projects/:id/repository/commits/:sha`. */
  path: string
  /** Finds the noteable; see `nested`. */
  subject: Subject<S, A>
  /** The abilities to read and to write notes. */
  read: NoInfer<A>
  write: NoInfer<A>
  contracts: Readonly<Record<DiscussionOperation, string>>
  accessOf(subject: S, actor: Actor): NoteAccess
  /** Of noteables with a diff: the parameter `position`, and the line that it means. */
  position?: {
    param: Param<Position, false>
    /** @throws ApiError 400 for a line that is not in the diff */
    find(platform: Platform, subject: S, given: Position): Promise<NotePosition>
  }
}

/** Declares the operations on the discussions of a kind of noteables, and on the notes in them. */
export function discussionOperations<S, A extends string, Position = never>(
  kind: NoteableKind<S, A, Position>,
): readonly Operation[] {
  return [...threadOperations(kind), ...noteOperations(kind)]
}

const discussion_id = t.required(t.string({ description: 'Id of the discussion.' }))

function commonOf<S, A extends string, P>({ tag, subject, read, write }: NoteableKind<S, A, P>) {
  const reads = { tag, subject, allow: read, scopes: reading }
  return { reads, writes: { ...reads, allow: write, scopes: writing } }
}

function threadOperations<S, A extends string, P>(kind: NoteableKind<S, A, P>): Operation[] {
  const { name, noun, contracts, accessOf, position } = kind
  const { reads, writes } = commonOf(kind)
  const path = `${kind.path}/discussions`
  return [
    operation({
      ...reads,
      id: `${name}_discussions.list`,
      contract: contracts.list,
      method: 'GET',
      path,
      summary: `List the discussions of ${noun}, oldest first`,
      result: [200, pageOf(Discussion)],
      run: ({ platform, subject, actor, page }) =>
        discussions.listDiscussions(platform, accessOf(subject, actor), page),
    }),
    operation({
      ...reads,
      id: `${name}_discussions.get`,
      contract: contracts.get,
      method: 'GET',
      path: `${path}/:discussion_id`,
      summary: `Get a discussion of ${noun}`,
      params: { discussion_id },
      result: [200, Discussion],
      run: ({ platform, subject, actor, params }) =>
        discussions.getDiscussion(platform, accessOf(subject, actor), params.discussion_id),
    }),
    operation({
      ...writes,
      id: `${name}_discussions.create`,
      contract: contracts.create,
      method: 'POST',
      path,
      summary: position ? `Start a discussion of ${noun}, or of a line of its diff` : `Start a discussion of ${noun}`,
      params: {
        body: t.required(noteBody),
        created_at: t.datetime({ description: 'Only for owners of the project and administrators; else ignored.' }),
        ...(position && { position: position.param }),
      },
      result: [201, Discussion],
      run({ platform, subject, actor, params }) {
        const { position: given, ...note } = params as typeof params & { position?: P }
        const find = position && given !== undefined ? () => position.find(platform, subject, given) : undefined
        return discussions.createDiscussion(platform, accessOf(subject, actor), { ...note, position: find })
      },
    }),
    operation({
      ...writes,
      id: `${name}_discussions.reply`,
      contract: contracts.reply,
      method: 'POST',
      path: `${path}/:discussion_id/notes`,
      summary: `Reply to a discussion of ${noun}`,
      params: { discussion_id, body: t.required(noteBody) },
      result: [201, Note],
      run: ({ platform, subject, actor, params }) =>
        discussions.replyToDiscussion(platform, accessOf(subject, actor), params.discussion_id, params.body),
    }),
  ]
}

function noteOperations<S, A extends string, P>(kind: NoteableKind<S, A, P>): Operation[] {
  const { name, noun, contracts, accessOf } = kind
  const { reads, writes } = commonOf(kind)
  const path = `${kind.path}/discussions/:discussion_id/notes/:note_id`
  const params = { discussion_id, note_id: t.id() }
  const idOf = (given: { discussion_id: string; note_id: number }) => ({
    discussionId: given.discussion_id,
    noteId: given.note_id,
  })
  return [
    operation({
      ...reads,
      id: `${name}_discussions.get_note`,
      contract: contracts.get_note,
      method: 'GET',
      path,
      summary: `Get a note in a discussion of ${noun}`,
      params,
      result: [200, Note],
      run: ({ platform, subject, actor, params }) =>
        discussions.getNote(platform, accessOf(subject, actor), idOf(params)),
    }),
    operation({
      ...writes,
      id: `${name}_discussions.update_note`,
      contract: contracts.update_note,
      method: 'PUT',
      path,
      summary: `Change a note in a discussion of ${noun}`,
      description: 'For the author of the note and for maintainers of the project.',
      params: { ...params, body: t.string({ blank: false, description: 'Markdown; up to 1,000,000 characters.' }) },
      result: [200, Note],
      run: ({ platform, subject, actor, params }) =>
        discussions.changeNote(platform, accessOf(subject, actor), idOf(params), params.body),
    }),
    operation({
      ...writes,
      id: `${name}_discussions.delete_note`,
      contract: contracts.delete_note,
      method: 'DELETE',
      path,
      summary: `Delete a note in a discussion of ${noun}`,
      description: 'For the author of the note and for maintainers. The last note takes its discussion with it.',
      params,
      result: [204, nothing],
      run: ({ platform, subject, actor, params, unmodified }) =>
        discussions.removeNote(platform, accessOf(subject, actor), idOf(params), unmodified),
    }),
  ]
}
