import type { Operation } from '../../../api/index.ts'
import {
  awardOperations,
  discussionOperations,
  type NoteableKind,
  type NoteKind,
  noteOperations,
} from '../../notes/index.ts'
import type { IssuableKind } from '../kind.ts'

/** Operations on notes, discussions and reactions, each named as in contract 16 (`note_list` in `x.issue_note_list`). */
type Action =
  | `note_${'list' | 'get' | 'create' | 'update' | 'delete'}`
  | `disc_${'list' | 'get' | 'create' | 'resolve' | 'notes' | 'reply' | 'note_get' | 'note_update' | 'note_delete'}`
  | `${'award' | 'note_award'}_${'list' | 'get' | 'create' | 'delete'}`
  | 'notes_award_list'

/** The operations that contract 16 or 19 does not have for a kind. */
const missing: Readonly<Record<string, readonly Action[]>> = {
  issue: ['disc_resolve'],
  mr: [
    ...(['disc_notes', 'disc_note_get', 'award_get'] as const),
    ...(['note_award_list', 'note_award_get', 'note_award_create', 'note_award_delete'] as const),
    'notes_award_list',
  ],
}

/** A kind of issuables with notes, discussions and reactions. */
export type ConversationKind<S, A extends string, Position = never> = IssuableKind<S, A> &
  Pick<NoteKind<S, A>, 'commands' | 'noteParams'> &
  Pick<NoteableKind<S, A, Position>, 'position'>

/** Declares the operations on notes, discussions and reactions of a kind of issuables (contract 16 and 19). */
export function conversationOperations<S, A extends string, Position = never>(
  kind: ConversationKind<S, A, Position>,
): readonly Operation[] {
  const contract = (action: Action) =>
    missing[kind.contract]?.includes(action) ? undefined : `x.${kind.contract}_${action}`
  const awards = (prefix: 'award' | 'note_award') => ({
    list: contract(`${prefix}_list`),
    get: contract(`${prefix}_get`),
    create: contract(`${prefix}_create`),
    delete: contract(`${prefix}_delete`),
  })
  return [
    ...noteOperations({
      ...kind,
      noteContracts: {
        list: contract('note_list'),
        get: contract('note_get'),
        create: contract('note_create'),
        update: contract('note_update'),
        delete: contract('note_delete'),
      },
    }),
    ...discussionOperations({
      ...kind,
      resolvesNotes: true,
      contracts: {
        list: contract('disc_list'),
        get: contract('disc_get'),
        create: contract('disc_create'),
        resolve: contract('disc_resolve'),
        notes: contract('disc_notes'),
        reply: contract('disc_reply'),
        get_note: contract('disc_note_get'),
        update_note: contract('disc_note_update'),
        delete_note: contract('disc_note_delete'),
      },
    }),
    ...awardOperations({
      ...kind,
      awardContracts: awards('award'),
      noteAwardContracts: awards('note_award'),
      noteAwardsContract: contract('notes_award_list'),
    }),
  ]
}
