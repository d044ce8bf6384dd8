import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Clock } from '../infra/clock/index.ts'
import type { Database, Tx } from '../infra/database/index.ts'
import type { Git, Quarantine, RefChange, Repository } from '../infra/git/index.ts'
import type { Jobs } from '../infra/jobs/index.ts'
import type { ObjectStore } from '../infra/objects/index.ts'
import type { Sealer } from '../infra/secrets/index.ts'
import type { Monitored } from './monitoring/monitored.ts'
import type { Presence } from './presence.ts'
import type { RefWriter } from './repositories/gate/writer.ts'
import type { Storages } from './repositories/storages/storages.ts'
import type { RepositoryRow } from './repositories/tables.ts'
import type { Settings } from './settings/index.ts'

/**
 * What was opened at the start. Rules take it as their first argument. Nothing here imports a rule: what a module adds to
 * the platform (gate rules, reactions, answers of ports, jobs) has its type in this file and its value in a list above the
 * modules. There is one object of this type per server; only a test copies it, to replace one part.
 */
export type Platform = {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly random: () => number
  readonly database: Database
  readonly git: Git
  /** The folders of git repositories, which may be unmounted while the server runs. */
  readonly storages: Storages
  readonly objects: ObjectStore
  readonly jobs: Jobs
  /** This process among those that use the database. */
  readonly presence: Presence
  readonly settings: Settings
  /** The state of the server: of all its processes. */
  readonly monitored: Monitored
  readonly secrets: Secrets
  readonly gate: Gate
  readonly reactions: Reactions
  readonly ports: Ports
  /** Base of every address shown to clients, without a slash at the end. */
  readonly externalUrl: string
  /** What precedes a repository's path in its SSH address, such as `git@example.com:`. */
  readonly sshPrefix: string
}

/** Keys of the instance, derived when first used. */
export type Secrets = {
  /** The key from which all others are derived (contract 00). */
  instanceKey(): Promise<Buffer>
  /** Encrypts values that are stored, such as credentials of mirrors. */
  sealer(): Promise<Sealer>
}

/**
 * What happens to a resource, by name, with the ids it concerns. The module that owns the resource adds its events by
 * augmenting this interface; `reactions.ts` lists what follows.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it
export interface Events {}

/** Follows an event in the transaction in which it happened. Slow or outside work is a job enqueued there. */
export type Reaction<Payload> = (platform: Platform, tx: Tx, payload: Payload) => Promise<void>

/** What follows each event, in order. A missing name is a type error, and so is an event that nothing follows. */
export type Reactions = {
  readonly [K in keyof Events]: readonly [Reaction<Events[K]>, ...Reaction<Events[K]>[]]
}

/**
 * What a lower module asks of a higher one, by name. The asking module adds its questions by augmenting this interface;
 * `ports.ts` names the one function that answers each.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it
export interface Questions {}

/** The answering functions. A missing name is a type error. */
export type Ports = {
  readonly [K in keyof Questions]: Questions[K] extends (...asked: infer Asked) => infer Answer
    ? (platform: Platform, ...asked: Asked) => Answer
    : never
}

/** A proposed change of refs. */
export type ProposedChange = {
  row: RepositoryRow
  repository: Repository
  changes: readonly RefChange[]
  writer: RefWriter
  /** Holds the new objects of a push until it is accepted. */
  quarantine?: Quarantine
}

/** A change of refs that git has carried out. */
export type AppliedChange = Omit<ProposedChange, 'quarantine'>

/** A rule that every change of refs has to pass (design §5). Returns the sentences with which it refuses, or null. */
export type RefRule = (platform: Platform, change: ProposedChange) => Promise<readonly string[] | null>

/** Written in the transaction that raises the repository's generation. */
export type RecordRefs = (tx: Tx) => Promise<void>

/** What follows a change of refs. */
export type RefListener = {
  /** May do I/O and may run again; returns what is to be recorded. */
  prepare?(platform: Platform, applied: AppliedChange): Promise<RecordRefs>
  /** Called when a push is recorded, not for changes by the API; returns lines shown to the pusher. */
  afterPush?(platform: Platform, applied: AppliedChange): Promise<readonly string[]>
}

/** The rules asked before refs change, and the listeners called afterwards, both in order. */
export type Gate = { readonly rules: RefRule[]; readonly listeners: RefListener[] }

/** State of a module that outlives a request, created for each platform when it is first used. */
export function perPlatform<State>(create: () => State): (platform: Platform) => State {
  const states = new WeakMap<Platform, State>()
  return (platform) => {
    const state = states.get(platform) ?? create()
    states.set(platform, state)
    return state
  }
}

/**
 * A number for a new state of rows, which caches of this program and of clients are keyed by. It is not one more than the last: a
 * database that was restored, or emptied, would come to the same numbers again with other rows.
 */
export function newGeneration(): number {
  return randomInt(2 ** 47)
}

/** Host of the container registry as image names begin with it, with the port unless that is the scheme's default. */
export function registryHost({ config, externalUrl }: Pick<Platform, 'config' | 'externalUrl'>): string {
  return new URL(config.registryUrl ?? externalUrl).host
}
