import { nothing, type Operation, pageOf, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import * as discussions from './discussions.ts'
import { commonOf, type NoteableKind } from './kind.ts'
import * as notes from './notes.ts'
import { backdated, internal, noteBody } from './params.ts'
import { Discussion, Note } from './present.ts'

/** Leaves out the operations that a kind of noteables does not have. */
export function declared(operations: readonly (Operation | undefined)[]): Operation[] {
  return operations.filter((one) => one !== undefined)
}

/** Declares the operations on the discussions of a kind of noteables, and on the notes in them. */
export function discussionOperations<S, A extends string, Position = never>(
  kind: NoteableKind<S, A, Position>,
): readonly Operation[] {
  return declared([...threadOperations(kind), ...replyOperations(kind), ...noteOperations(kind)])
}

const discussion_id = t.required(t.string({ description: 'Id of the discussion.' }))

function threadOperations<S, A extends string, P>(kind: NoteableKind<S, A, P>) {
  const { name, noun, contracts, accessOf, position } = kind
  const { reads, comments, resolves } = commonOf(kind)
  const path = `${kind.path}/discussions`
  return [
    contracts.list &&
      operation({
        ...reads,
        id: `${name}_discussions.list`,
        contract: contracts.list,
        method: 'GET',
        path,
        summary: `List the discussions of ${noun}, oldest first`,
        result: [200, pageOf(Discussion)],
        run: ({ platform, subject, actor, page }) =>
          discussions.listDiscussions(platform, accessOf(subject, actor, platform), page),
      }),
    contracts.get &&
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
          discussions.getDiscussion(platform, accessOf(subject, actor, platform), params.discussion_id),
      }),
    contracts.create &&
      operation({
        ...comments,
        id: `${name}_discussions.create`,
        contract: contracts.create,
        method: 'POST',
        path,
        summary: position ? `Start a discussion of ${noun}, or of a line of its diff` : `Start a discussion of ${noun}`,
        params: {
          body: t.required(noteBody),
          created_at: backdated,
          internal,
          ...(position && { position: position.param }),
        },
        result: [201, Discussion],
        run({ platform, subject, actor, params }) {
          const { position: given, ...note } = params as typeof params & { position?: P }
          const find = position && given !== undefined ? () => position.find(platform, subject, given) : undefined
          const access = accessOf(subject, actor, platform)
          return discussions.createDiscussion(platform, access, { ...note, position: find })
        },
      }),
    contracts.resolve &&
      operation({
        ...resolves,
        id: `${name}_discussions.resolve`,
        contract: contracts.resolve,
        method: 'PUT',
        path: `${path}/:discussion_id`,
        summary: `Resolve a thread of ${noun}, or open it again`,
        params: { discussion_id, resolved: t.required(t.boolean()) },
        result: [200, Discussion],
        run: ({ platform, subject, actor, params: { discussion_id, resolved } }) =>
          discussions.resolveDiscussion(platform, accessOf(subject, actor, platform), discussion_id, resolved),
      }),
  ].map((one) => one || undefined)
}

function replyOperations<S, A extends string, P>(kind: NoteableKind<S, A, P>) {
  const { name, noun, contracts, accessOf } = kind
  const { reads, comments } = commonOf(kind)
  const path = `${kind.path}/discussions/:discussion_id/notes`
  return [
    contracts.notes &&
      operation({
        ...reads,
        id: `${name}_discussions.list_notes`,
        contract: contracts.notes,
        method: 'GET',
        path,
        summary: `List the notes in a discussion of ${noun}, oldest first`,
        params: { discussion_id },
        result: [200, Type.Array(Note)],
        async run({ platform, subject, actor, params }) {
          const access = accessOf(subject, actor, platform)
          return (await discussions.getDiscussion(platform, access, params.discussion_id, 'Notes')).notes
        },
      }),
    contracts.reply &&
      operation({
        ...comments,
        id: `${name}_discussions.reply`,
        contract: contracts.reply,
        method: 'POST',
        path,
        summary: `Reply to a discussion of ${noun}`,
        params: { discussion_id, body: t.required(noteBody), created_at: backdated },
        result: [201, Note],
        run: ({ platform, subject, actor, params: { discussion_id, ...note } }) =>
          discussions.replyToDiscussion(platform, accessOf(subject, actor, platform), discussion_id, note),
      }),
  ].map((one) => one || undefined)
}

/** A change of a note, where it can be resolved. */
type Change = { body?: string; resolved?: boolean }

function noteOperations<S, A extends string, P>(kind: NoteableKind<S, A, P>) {
  const { name, noun, contracts, accessOf, resolvesNotes } = kind
  const { reads, changes } = commonOf(kind)
  const path = `${kind.path}/discussions/:discussion_id/notes/:note_id`
  const params = { discussion_id, note_id: t.id() }
  const idOf = (given: { discussion_id: string; note_id: number }) => ({
    discussionId: given.discussion_id,
    noteId: given.note_id,
  })
  return [
    contracts.get_note &&
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
          notes.getNote(platform, accessOf(subject, actor, platform), idOf(params)),
      }),
    contracts.update_note &&
      operation({
        ...changes,
        id: `${name}_discussions.update_note`,
        contract: contracts.update_note,
        method: 'PUT',
        path,
        summary: resolvesNotes
          ? `Change or resolve a note in a discussion of ${noun}`
          : `Change a note in a discussion of ${noun}`,
        description: 'For the author of the note and for maintainers of the project.',
        params: {
          ...params,
          body: t.string({ blank: false, description: 'Markdown; up to 1,000,000 characters.' }),
          ...(resolvesNotes && { resolved: t.boolean() }),
        },
        ...(resolvesNotes && { exactlyOne: ['body', 'resolved'] as never[] }),
        result: [200, Note],
        run({ platform, subject, actor, params }) {
          const access = accessOf(subject, actor, platform)
          const { body, resolved } = params as typeof params & Change
          if (resolved !== undefined) return notes.resolveNote(platform, access, idOf(params), resolved)
          return notes.changeNote(platform, access, idOf(params), body)
        },
      }),
    contracts.delete_note &&
      operation({
        ...changes,
        id: `${name}_discussions.delete_note`,
        contract: contracts.delete_note,
        method: 'DELETE',
        path,
        summary: `Delete a note in a discussion of ${noun}`,
        description: 'For the author of the note and for maintainers. The last note takes its discussion with it.',
        params,
        result: [204, nothing],
        run: ({ platform, subject, actor, params, unmodified }) =>
          notes.removeNote(platform, accessOf(subject, actor, platform), idOf(params), unmodified),
      }),
  ].map((one) => one || undefined)
}
