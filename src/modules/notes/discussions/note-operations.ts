import { nothing, type Operation, pageOf, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { commonOf, type NoteKind } from './kind.ts'
import * as notes from './notes.ts'
import { declared } from './operations.ts'
import { newNote, noteList } from './params.ts'
import { Note, NoteCommands } from './present.ts'

const note_id = t.id()

/** Declares the operations on the notes of a kind of noteables (contract 16, "Operations: notes and discussions"). */
export function noteOperations<S, A extends string>(kind: NoteKind<S, A>): readonly Operation[] {
  return declared([...collection(kind), ...single(kind)])
}

const jobsOf = ({ jobsReadNotes }: { jobsReadNotes?: true }) => (jobsReadNotes ? { jobToken: true } : {})

function collection<S, A extends string>(kind: NoteKind<S, A>) {
  const { name, noun, accessOf, noteContracts: contracts, noteParams = {}, commands } = kind
  const { reads, comments } = commonOf(kind)
  const path = `${kind.path}/notes`
  return [
    contracts.list &&
      operation({
        ...reads,
        ...jobsOf(kind),
        id: `${name}_notes.list`,
        contract: contracts.list,
        method: 'GET',
        path,
        summary: `List the notes of ${noun}`,
        params: noteList,
        result: [200, pageOf(Note)],
        run: ({ platform, subject, actor, params, page }) =>
          notes.listNotes(platform, accessOf(subject, actor, platform), params, page),
      }),
    contracts.create &&
      operation({
        ...comments,
        id: `${name}_notes.create`,
        contract: contracts.create,
        method: 'POST',
        path,
        summary: `Comment on ${noun}`,
        params: { ...newNote, ...noteParams },
        result: [201, Type.Union([Note, NoteCommands])],
        answers: { 202: ['Quick actions were run, and there was no other text.', NoteCommands] },
        async run({ platform, subject, actor, params, setStatus }) {
          const { body, created_at, internal, confidential } = params
          const run = commands && ((text: string) => commands(platform, { subject, actor, body: text, params }))
          const given = { body, created_at, internal: internal ?? confidential, commands: run }
          const made = await notes.createNote(platform, accessOf(subject, actor, platform), given)
          if (made.note) return made.note
          setStatus(202)
          return made.commands
        },
      }),
  ].map((one) => one || undefined)
}

function single<S, A extends string>(kind: NoteKind<S, A>) {
  const { name, noun, accessOf, noteContracts: contracts } = kind
  const { reads, changes } = commonOf(kind)
  const path = `${kind.path}/notes/:note_id`
  return [
    contracts.get &&
      operation({
        ...reads,
        ...jobsOf(kind),
        id: `${name}_notes.get`,
        contract: contracts.get,
        method: 'GET',
        path,
        summary: `Get a note of ${noun}`,
        params: { note_id },
        result: [200, Note],
        run: ({ platform, subject, actor, params }) =>
          notes.getNote(platform, accessOf(subject, actor, platform), { noteId: params.note_id }),
      }),
    contracts.update &&
      operation({
        ...changes,
        id: `${name}_notes.update`,
        contract: contracts.update,
        method: 'PUT',
        path,
        summary: `Change a note of ${noun}`,
        description: 'For the author of the note and for maintainers of the project.',
        params: { note_id, body: t.string({ blank: false, description: 'Markdown; up to 1,000,000 characters.' }) },
        result: [200, Note],
        run: ({ platform, subject, actor, params }) =>
          notes.changeNote(platform, accessOf(subject, actor, platform), { noteId: params.note_id }, params.body),
      }),
    contracts.delete &&
      operation({
        ...changes,
        id: `${name}_notes.delete`,
        contract: contracts.delete,
        method: 'DELETE',
        path,
        summary: `Delete a note of ${noun}`,
        description: 'For the author of the note and for maintainers of the project.',
        params: { note_id },
        result: [204, nothing],
        run: ({ platform, subject, actor, params, unmodified }) =>
          notes.removeNote(platform, accessOf(subject, actor, platform), { noteId: params.note_id }, unmodified),
      }),
  ].map((one) => one || undefined)
}
