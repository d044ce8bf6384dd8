import { type Actor, createRateCounter, isExceeded, type Standing, type Throttle, throttled } from './api/index.ts'
import type { Floor } from './floor.ts'

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

export function createThrottles({ settings, database, clock, jobs }: Floor): Throttles {
  const counter = createRateCounter(database, clock)
  jobs.define({ kind: pruneJob, run: () => counter.prune() })
  jobs.every(pruneJob, 86_400, pruneJob)

  async function throttleOf(name: ThrottleName): Promise<Throttle | null> {
    const rules = await settings.current()
    if (!rules[`${name}_enabled`]) return null
    return {
      name,
      requests: rules[`${name}_requests_per_period`],
      periodSeconds: rules[`${name}_period_in_seconds`],
    }
  }

  return {
    async api(identify, ip) {
      const known = await throttleOf('throttle_authenticated_api')
      const unknown = await throttleOf('throttle_unauthenticated_api')
      if (!known && !unknown) return undefined
      const actor = await identify()
      if (actor?.kind === 'user') return known ? counter.hit(`${known.name}:${actor.userId}`, known) : undefined
      return unknown ? counter.hit(`${unknown.name}:${ip}`, unknown) : undefined
    },
    async anonymousGit(ip) {
      const throttle = await throttleOf('throttle_unauthenticated_git_http')
      if (!throttle) return
      const standing = await counter.hit(`${throttle.name}:${ip}`, throttle)
      if (isExceeded(standing)) throw throttled(standing, (await settings.current()).rate_limiting_response_text)
    },
  }
}
