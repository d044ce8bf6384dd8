import { type Actor, createRateCounter, isExceeded, type Standing, type Throttle, throttled } from './api/index.ts'
import type { Floor } from './floor.ts'
import type { InstanceSettings } from './modules/settings/index.ts'

const pruneJob = 'rate_windows.prune'

/** The throttles of the instance, by its settings (contract 00, "Rate limits"; 20 R7). */
export type Throttles = {
  /** Counts a request of the API against the throttle that applies to the caller; undefined when none is on. */
  api(identify: () => Promise<Actor | undefined>, ip: string): Promise<Standing | undefined>
  /**
   * Counts a git request that comes without credentials.
   * @throws ApiError 429
   */
  anonymousGit(ip: string): Promise<void>
}

type ThrottleName = 'throttle_authenticated_api' | 'throttle_unauthenticated_api' | 'throttle_unauthenticated_git_http'

/** A throttle as the settings have it; null when it is off. */
function throttleOf(rules: InstanceSettings, name: ThrottleName): Throttle | null {
  if (!rules[`${name}_enabled`]) return null
  return {
    name,
    requests: rules[`${name}_requests_per_period`],
    periodSeconds: rules[`${name}_period_in_seconds`],
  }
}

export function createThrottles({ settings, database, clock, jobs }: Floor): Throttles {
  const counter = createRateCounter(database, clock)
  jobs.define({ kind: pruneJob, run: () => counter.prune() })
  jobs.every(pruneJob, 86_400, pruneJob)

  return {
    async api(identify, ip) {
      const rules = await settings.current()
      const known = throttleOf(rules, 'throttle_authenticated_api')
      const unknown = throttleOf(rules, 'throttle_unauthenticated_api')
      if (!known && !unknown) return undefined
      const actor = await identify()
      if (actor?.kind === 'user') return known ? counter.hit(`${known.name}:${actor.userId}`, known) : undefined
      return unknown ? counter.hit(`${unknown.name}:${ip}`, unknown) : undefined
    },
    async anonymousGit(ip) {
      const rules = await settings.current()
      const throttle = throttleOf(rules, 'throttle_unauthenticated_git_http')
      if (!throttle) return
      const standing = await counter.hit(`${throttle.name}:${ip}`, throttle)
      if (isExceeded(standing)) throw throttled(standing, rules.rate_limiting_response_text)
    },
  }
}
