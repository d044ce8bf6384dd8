import { crc32 } from 'node:zlib'
import type { Chain } from './actors.ts'

/** The gates of a feature (contract 05, Feature). */
export type Gates = {
  enabled: boolean
  percentageOfActors: number
  percentageOfTime: number
  /** In the order in which they were added. */
  actors: readonly string[]
  groups: readonly string[]
}

export const closedGates: Gates = { enabled: false, percentageOfActors: 0, percentageOfTime: 0, actors: [], groups: [] }

/** The id of an actor's opt-out. */
export const optOutOf = (actor: string) => `${actor}:opt_out`

export function stateOf({ enabled, percentageOfActors, percentageOfTime, actors, groups }: Gates) {
  if (enabled || percentageOfTime === 100) return 'on'
  const isConditional = actors.length > 0 || groups.length > 0 || percentageOfActors > 0 || percentageOfTime > 0
  return isConditional ? 'conditional' : 'off'
}

/** The gates that are shown, in their order. */
export function shownGates({ enabled, percentageOfActors, percentageOfTime, actors, groups }: Gates) {
  const shown: { key: string; value: boolean | number | readonly string[] }[] = [{ key: 'boolean', value: enabled }]
  if (actors.length > 0) shown.push({ key: 'actors', value: actors })
  if (percentageOfActors > 0) shown.push({ key: 'percentage_of_actors', value: percentageOfActors })
  if (percentageOfTime > 0) shown.push({ key: 'percentage_of_time', value: percentageOfTime })
  if (groups.length > 0) shown.push({ key: 'groups', value: groups })
  return shown
}

/** Whether an actor is among a percentage of all actors; the same for each evaluation. */
function isAmongActors(name: string, actor: string, percentage: number): boolean {
  return crc32(name + actor) % 100_000 < percentage * 1000
}

/** Whether an actor or something that it lies in is listed. An opt-out hides what its actor lies in. */
function isListed({ actors }: Gates, chain: Chain): boolean {
  const end = chain.findIndex((actor) => actors.includes(optOutOf(actor)))
  return (end < 0 ? chain : chain.slice(0, end)).some((actor) => actors.includes(actor))
}

/** Those for whom it is asked, and the chains of what they lie in. */
type Asked = { actors: readonly string[]; chains: readonly Chain[] }

/**
 * Whether a feature is on for one of some actors (contract 05, Evaluation). Where one of them, or what it lies in, has an
 * opt-out, only what is listed counts.
 * @param chance a number from 0 to below 1, for the percentage of time
 */
export function isOpen(name: string, gates: Gates, { actors, chains }: Asked, chance: number): boolean {
  if (chains.some((chain) => isListed(gates, chain))) return true
  if (chains.some((chain) => chain.some((actor) => gates.actors.includes(optOutOf(actor))))) return false
  if (gates.enabled || chance < gates.percentageOfTime / 100) return true
  return actors.some((actor) => isAmongActors(name, actor, gates.percentageOfActors))
}
