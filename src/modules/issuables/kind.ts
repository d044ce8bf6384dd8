import type { Actor, TSchema } from '../../api/index.ts'
import type { Platform, Subject } from '../../platform/index.ts'
import type { NoteAccess } from '../notes/index.ts'
import type { ProjectOrGroupRef } from '../projects/index.ts'
import type { Issuable, IssuableType } from './issuable.ts'

/**
 * A kind of issuables, for the declaration of the operations that all kinds have: one value of a module, from which each
 * `…Operations(kind)` declares its operations.
 */
export type IssuableKind<S, A extends string> = {
  type: IssuableType
  /** Begins the ids of operations: `issue` in `issue_notes.list`. */
  name: string
  /** In the names of contracts: `issue` in `x.issue_note_list`. */
  contract: 'issue' | 'mr' | 'epic'
  /** In texts, such as `an issue`. */
  noun: string
  tag: string
  /** Path of an issuable, such as `/projects/:id/issues/:issue_iid`. */
  path: string
  /** Finds the issuable; see `nested`. */
  subject: Subject<S, A>
  /** The ability to see the issuable. */
  show: NoInfer<A>
  /** The ability of signed-in readers: to read notes and events, to subscribe. */
  read: NoInfer<A>
  /** The ability to comment and react. */
  write: NoInfer<A>
  /** The object of a single issuable. */
  result: TSchema
  present(platform: Platform, subject: S, actor: Actor): Promise<object>
  issuableOf(subject: S): Issuable
  /** The project or group of the issuable, whose labels and milestones it can have. */
  parentOf(subject: S): ProjectOrGroupRef
  /** What the caller may do with the notes; see `noteAccess`. */
  accessOf(subject: S, actor: Actor, platform: Platform): NoteAccess
}
