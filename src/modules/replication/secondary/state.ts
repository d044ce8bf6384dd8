import type { JsonWebKey } from 'node:crypto'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import type { Failing } from '../../../platform/monitoring/index.ts'
import type { TransferClass } from '../types.ts'
import { type PrimaryClient, primaryClient } from './client.ts'

/** The record of a node, as far as a secondary reads it. */
export type NodeCapacities = {
  files_max_capacity: number
  repos_max_capacity: number
  container_repositories_max_capacity: number
  verification_max_capacity: number
}

type ShownNode = NodeCapacities & {
  id: number
  name: string
  url: string
  enabled: boolean
  selective_sync_type: string | null
  selective_sync_shards: string[]
  selective_sync_namespace_ids: number[]
  sync_object_storage: boolean
  minimum_reverification_interval: number
}

/** Under which name the last answer of x.geo_int.node is remembered. */
export const configurationName = 'configuration'

/** The answer of x.geo_int.node. */
export type Configuration = {
  node: ShownNode
  primary: ShownNode
  storage_shards: string[]
  last_event_id: number
  /** The time at the primary. */
  server_time: string
  registry_public_key: (JsonWebKey & { kid: string }) | null
}

/** The state of a secondary while its process runs. */
export type Secondary = {
  readonly client: PrimaryClient
  /** Aborted when the server stops. */
  readonly signal: AbortSignal
  stop(): void
  /** Null until the primary has answered for the first time. */
  configuration: Configuration | null
  /** Why the primary does not answer; null while it does. */
  unreachable: string | null
  /** The primary has refused the credentials. */
  isUnregistered: boolean
  readonly running: Record<TransferClass | 'verification', Set<Promise<void>>>
  capacities(): NodeCapacities
  reverificationDays(): number
  /** Ends the pause of a loop. */
  wakeWork(): void
  wakePoll(): void
  wakeStatus(): void
  readonly pauses: Map<string, () => void>
  /** Ends the waiting for events, because they are to be read with another configuration. */
  endWaiting(): void
}

const none: NodeCapacities = {
  files_max_capacity: 0,
  repos_max_capacity: 0,
  container_repositories_max_capacity: 0,
  verification_max_capacity: 0,
}

function create(platform: Platform): Secondary {
  const ending = new AbortController()
  const pauses = new Map<string, () => void>()
  const wake = (name: string) => () => pauses.get(name)?.()
  const secondary: Secondary = {
    client: primaryClient(platform),
    signal: ending.signal,
    stop: () => ending.abort(),
    configuration: null,
    unreachable: null,
    isUnregistered: false,
    running: { repositories: new Set(), files: new Set(), container_repositories: new Set(), verification: new Set() },
    // A disabled node starts nothing; neither does one that the primary does not know.
    capacities: () => {
      const { configuration, isUnregistered, unreachable } = secondary
      const isIdle = !configuration?.node.enabled || isUnregistered || unreachable !== null
      return isIdle ? none : configuration.node
    },
    reverificationDays: () => secondary.configuration?.primary.minimum_reverification_interval ?? 7,
    wakeWork: wake('work'),
    wakePoll: wake('poll'),
    wakeStatus: wake('status'),
    pauses,
    endWaiting: () => {},
  }
  return secondary
}

const states = perPlatform((): { secondary?: Secondary } => ({}))

/** The state of the server as a secondary. */
export function secondaryOf(platform: Platform): Secondary {
  const state = states(platform)
  state.secondary ??= create(platform)
  return state.secondary
}

/** What the readiness probe of a secondary says while its primary does not answer: reads are answered all the same. */
export function primaryAway(platform: Platform): Failing[] {
  if (platform.config.geo.role !== 'secondary' || secondaryOf(platform).unreachable === null) return []
  return [{ check: 'primary', message: 'the primary is unreachable; reads of copies go on', isBearable: true }]
}

/** Waits, until the time is over, something wakes the loop of this name, or the server stops. */
export async function pause(
  platform: Platform,
  { pauses, signal }: Secondary,
  name: string,
  ms: number,
): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const timer = platform.clock.setTimer(resolve, ms)
    const end = () => {
      timer.cancel()
      resolve()
    }
    pauses.set(name, end)
    signal.addEventListener('abort', end, { once: true })
  })
  pauses.delete(name)
}
