import type { Actor } from '../../api/index.ts'

/** Who moves a ref, for the rules and for the record. */
export type RefMover = {
  /** The user; for a deploy key whoever made it, or null when they are gone. */
  userId: number | null
  /** How the change came in; some rules tell git from the API. */
  via: 'git' | 'api'
  /** Set when a deploy key pushes: what its owner may do is then of no account (contract 01). */
  deployKeyId?: number
  /** Whether this request may do what administrators do; by the account where it is not told. */
  administrator?: boolean
  /** Set when a merge request is being merged: who may merge into the branch may move it, code owners have spoken. */
  isMerging?: true
  /** Set when the platform itself begins a repository on somebody's behalf: nobody else is asked. */
  isBeginning?: true
  pushOptions?: readonly string[]
}

/** Whoever calls the API, as one who moves refs. */
export function moverOf(actor: Actor): RefMover {
  return actor.kind === 'user'
    ? { userId: actor.userId, via: 'api', administrator: actor.administrator }
    : { userId: null, via: 'api' }
}
