import type { Actor } from '../../api/index.ts'
import type { Tx } from '../../infra/database/index.ts'
import type { Quarantine, RefChange, Repository } from '../../infra/git/index.ts'
import type { RepositoryRow } from './tables.ts'

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

/** A change of refs that asks to be let in. */
export type ProposedChange = {
  row: RepositoryRow
  repository: Repository
  changes: readonly RefChange[]
  mover: RefMover
  /** Where the new objects wait, when they come with a push. */
  quarantine?: Quarantine
}

/**
 * A rule of the gate that every change of a ref passes, whether it is pushed or made through the API (design §5). Returns
 * the sentences with which it refuses, or null.
 */
export type RefRule = (change: ProposedChange) => Promise<readonly string[] | null>

/** Refs that have moved. */
export type AppliedChange = {
  row: RepositoryRow
  repository: Repository
  changes: readonly RefChange[]
  mover: RefMover
}

/** What is written of moved refs in the transaction that raises the generation. */
export type RecordRefs = (tx: Tx) => Promise<void>

/** What follows from moved refs. */
export type RefListener = {
  /** May do I/O (point HEAD somewhere), safely repeated; returns what is to be recorded. */
  prepare(applied: AppliedChange): Promise<RecordRefs>
  /** Lines shown to a pusher. */
  messages?(applied: AppliedChange): Promise<readonly string[]>
}

/** The rules and listeners, filled when the modules are put together. */
export type Gate = { rules: RefRule[]; listeners: RefListener[] }

/** The sentences of the first rule that refuses; null when all agree. */
export async function refusal(gate: Gate, change: ProposedChange): Promise<readonly string[] | null> {
  for (const rule of gate.rules) {
    const sentences = await rule(change)
    if (sentences) return sentences
  }
  return null
}
