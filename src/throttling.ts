import { type Actor, createRateCounter, type Standing, type Throttle } from './api/index.ts'
import type { Floor } from './floor.ts'

const pruneJob = 'rate_windows.prune'

/** The throttle that applies to a caller, by the settings (contract 00, "Rate limits"; 20 R7). */
export function throttling({ settings, database, clock, jobs }: Floor) {
  const counter = createRateCounter(database, clock)
  jobs.define({ kind: pruneJob, run: () => counter.prune() })
  jobs.every(pruneJob, 86_400, pruneJob)
  return async (identify: () => Promise<Actor | undefined>, ip: string): Promise<Standing | undefined> => {
    const rules = await settings.current()
    if (!rules.throttle_authenticated_api_enabled && !rules.throttle_unauthenticated_api_enabled) return undefined
    const actor = await identify()
    const known = actor?.kind === 'user'
    const name = known ? 'throttle_authenticated_api' : 'throttle_unauthenticated_api'
    if (!rules[`${name}_enabled`]) return undefined
    const throttle: Throttle = {
      name,
      requests: rules[`${name}_requests_per_period`],
      periodSeconds: rules[`${name}_period_in_seconds`],
    }
    return counter.hit(known ? `${name}:${actor.userId}` : `${name}:${ip}`, throttle)
  }
}
