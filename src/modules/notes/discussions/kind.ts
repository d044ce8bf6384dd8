import { type Actor, type Operation, type Param, type ParamSet, reading, writing } from '../../../api/index.ts'
import type { Platform, Subject } from '../../../platform/index.ts'
import type { NoteAccess } from '../noteable.ts'
import type { NotePosition } from '../tables.ts'
import { requireChange, requireComment, requireResolve } from './access.ts'
import type { RunCommands } from './notes.ts'

type Discussed = 'list' | 'get' | 'create' | 'reply' | 'get_note' | 'update_note' | 'delete_note'
type Noted = 'list' | 'get' | 'create' | 'update' | 'delete'

/** A kind of noteables, for the declaration of operations. */
export type Kind<S, A extends string> = {
  /** Begins the ids of operations: `commit` in `commit_discussions.list`. */
  name: string
  /** In texts, such as `a commit`. */
  noun: string
  tag: string
  /** The lowest tier that has the operations. */
  tier?: Operation['tier']
  /** Path of a noteable, such as `/projects/:id/repository/commits/:sha`. */
  path: string
  /** Finds the noteable; see `nested`. */
  subject: Subject<S, A>
  /** The abilities to read and to write notes. */
  read: NoInfer<A>
  write: NoInfer<A>
  accessOf(subject: S, actor: Actor, platform: Platform): NoteAccess
}

/** A kind of noteables with discussions. Operations without a contract are left out. */
export type NoteableKind<S, A extends string, Position = never> = Kind<S, A> & {
  contracts: Readonly<Partial<Record<Discussed | 'notes' | 'resolve', string>>>
  /** Whether a note can be resolved where it is changed (contract 16, x.issue_disc_note_update). */
  resolvesNotes?: true
  /** Of noteables with a diff: the parameter `position`, and the line that it means. */
  position?: {
    param: Param<Position, false>
    /** @throws ApiError 400 for a line that is not in the diff */
    find(platform: Platform, subject: S, given: Position): Promise<NotePosition>
  }
}

/** A request to run the quick actions of a text. */
export type CommandRequest<S> = {
  subject: S
  actor: Actor
  body: string
  /** The other parameters of the request. */
  params: Readonly<Record<string, unknown>>
}

/** A kind of noteables whose notes have a list of their own. */
export type NoteKind<S, A extends string> = Kind<S, A> & {
  noteContracts: Readonly<Partial<Record<Noted, string>>>
  /** Further parameters of a new note. */
  noteParams?: ParamSet
  /** Whether the tokens of jobs read its notes (contract 24, "Job token scope"). */
  jobsReadNotes?: true
  /** Runs the quick actions in a note; null when it has none. @throws ApiError 400 for one that fails */
  commands?(platform: Platform, request: CommandRequest<S>): Promise<RunCommands | null>
}

/** What is known before an operation that writes is performed. */
type Asking<S> = { platform: Platform; subject: S; actor: Actor; params: object }

/** What all operations that read have in common, those that comment, and those that change or resolve notes. */
export function commonOf<S, A extends string>({ tag, tier, subject, read, write, accessOf }: Kind<S, A>) {
  const reads = { tag, ...(tier && { tier }), subject, allow: read, scopes: reading }
  const writes = { ...reads, allow: write, scopes: writing }
  return {
    reads,
    comments: {
      ...writes,
      permits: async ({ platform, subject, actor }: Asking<S>) => requireComment(accessOf(subject, actor, platform)),
    },
    changes: {
      ...writes,
      permits: ({ platform, subject, actor, params }: Asking<S>) =>
        requireChange(
          platform.database.read,
          accessOf(subject, actor, platform),
          (params as { note_id?: number }).note_id,
        ),
    },
    resolves: {
      ...writes,
      permits: async ({ platform, subject, actor }: Asking<S>) => requireResolve(accessOf(subject, actor, platform)),
    },
  }
}
