import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Clock } from '../infra/clock/index.ts'
import type { Database, Tx } from '../infra/database/index.ts'
import type { Git, Quarantine, RefChange, Repository } from '../infra/git/index.ts'
import type { Jobs } from '../infra/jobs/index.ts'
import type { ObjectStore } from '../infra/objects/index.ts'
import type { RefMover } from './repositories/mover.ts'
import type { RepositoryRow } from './repositories/tables.ts'
import type { Settings } from './settings/index.ts'

/**
 * What was opened at the start. Rules take it first. Nothing here imports a rule: what a module adds to the platform (the
 * gate, jobs) is a type in this file and a value in a list above the modules.
 */
export type Platform = {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly random: () => number
  readonly database: Database
  readonly git: Git
  readonly objects: ObjectStore
  readonly jobs: Jobs
  readonly settings: Settings
  readonly gate: Gate
  readonly externalUrl: string
}

/** Refs that ask to be moved. */
export type ProposedChange = {
  row: RepositoryRow
  repository: Repository
  changes: readonly RefChange[]
  mover: RefMover
  /** Where the new objects wait, when they come with a push. */
  quarantine?: Quarantine
}

/** Refs that have moved. */
export type AppliedChange = Omit<ProposedChange, 'quarantine'>

/** A rule that every change of a ref passes (design §5). Returns the sentences with which it refuses, or null. */
export type RefRule = (platform: Platform, change: ProposedChange) => Promise<readonly string[] | null>

/** Written in the transaction that raises the generation. */
export type RecordRefs = (tx: Tx) => Promise<void>

/** What follows from moved refs. */
export type RefListener = {
  /** May do I/O, safely repeated; returns what is to be recorded. */
  prepare(platform: Platform, applied: AppliedChange): Promise<RecordRefs>
  /** Lines shown to a pusher. */
  messages?(platform: Platform, applied: AppliedChange): Promise<readonly string[]>
}

/** Who is asked before a ref moves, and what follows a moved ref, both in order. */
export type Gate = { readonly rules: readonly RefRule[]; readonly listeners: readonly RefListener[] }
