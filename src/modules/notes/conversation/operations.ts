import type { Operation } from '../../../api/index.ts'
import { type AwardableKind, awardOperations } from '../awards/operations.ts'
import type { NoteableKind, NoteKind } from '../discussions/kind.ts'
import { noteOperations } from '../discussions/note-operations.ts'
import { discussionOperations } from '../discussions/operations.ts'

type Shared<S, A extends string> = Pick<
  AwardableKind<S, A>,
  'name' | 'noun' | 'tag' | 'tier' | 'path' | 'subject' | 'read' | 'write' | 'accessOf'
> & {
  /** In the names of contracts: `issue` in `x.issue_note_list`. */
  contract: string
}

/** A kind of noteables with notes and discussions. */
export type CommentableKind<S, A extends string, Position = never> = Shared<S, A> &
  Pick<NoteKind<S, A>, 'commands' | 'noteParams' | 'jobsReadNotes'> &
  Pick<NoteableKind<S, A, Position>, 'position'> & {
    /** Whether its threads can be resolved. */
    hasResolvableThreads?: true
  }

/** A kind of noteables with reactions, also to its notes. */
export type ReactableKind<S, A extends string> = Shared<S, A> & Pick<AwardableKind<S, A>, 'show'>

/** A kind of noteables with all of these. */
export type ConversationKind<S, A extends string, Position = never> = CommentableKind<S, A, Position> &
  ReactableKind<S, A>

/** Declares the operations on the notes and discussions of a kind of noteables (contract 16, 19 and 26). */
export function commentOperations<S, A extends string, Position = never>(
  kind: CommentableKind<S, A, Position>,
): readonly Operation[] {
  const { contract, hasResolvableThreads } = kind
  return [
    ...noteOperations({
      ...kind,
      noteContracts: {
        list: `x.${contract}_note_list`,
        get: `x.${contract}_note_get`,
        create: `x.${contract}_note_create`,
        update: `x.${contract}_note_update`,
        delete: `x.${contract}_note_delete`,
      },
    }),
    ...discussionOperations({
      ...kind,
      resolvesNotes: true,
      contracts: {
        list: `x.${contract}_disc_list`,
        get: `x.${contract}_disc_get`,
        create: `x.${contract}_disc_create`,
        ...(hasResolvableThreads && { resolve: `x.${contract}_disc_resolve` }),
        notes: `x.${contract}_disc_notes`,
        reply: `x.${contract}_disc_reply`,
        get_note: `x.${contract}_disc_note_get`,
        update_note: `x.${contract}_disc_note_update`,
        delete_note: `x.${contract}_disc_note_delete`,
      },
    }),
  ]
}

/** Declares the operations on the reactions to a kind of noteables and to their notes (contract 16, 19 and 26). */
export function reactionOperations<S, A extends string>(kind: ReactableKind<S, A>): readonly Operation[] {
  const contracts = (what: 'award' | 'note_award') => ({
    list: `x.${kind.contract}_${what}_list`,
    get: `x.${kind.contract}_${what}_get`,
    create: `x.${kind.contract}_${what}_create`,
    delete: `x.${kind.contract}_${what}_delete`,
  })
  return awardOperations({
    ...kind,
    awardContracts: contracts('award'),
    noteAwardContracts: contracts('note_award'),
    noteAwardsContract: `x.${kind.contract}_notes_award_list`,
  })
}

/** Declares the operations on notes, discussions and reactions of a kind of noteables. */
export function conversationOperations<S, A extends string, Position = never>(
  kind: ConversationKind<S, A, Position>,
): readonly Operation[] {
  return [...commentOperations(kind), ...reactionOperations(kind)]
}
