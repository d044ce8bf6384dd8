import { hashToken, randomToken } from '../../../infra/secrets/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import type { RunnerType } from '../tables.ts'

/** A new authentication token of a runner: the text, which is shown once, and what is stored. */
export function newRunnerToken(): { token: string; token_digest: string } {
  const token = randomToken('glrt-')
  return { token, token_digest: hashToken(token) }
}

/** The settings of the instance for how long new tokens of runners of each type are valid, in seconds; null: for ever. */
export const tokenIntervals = {
  instance_type: 'runner_token_expiration_interval',
  group_type: 'group_runner_token_expiration_interval',
  project_type: 'project_runner_token_expiration_interval',
} as const satisfies Record<RunnerType, keyof InstanceSettings>

/**
 * When a new token expires: after the shortest of the intervals (contract 04, "Tokens of runners").
 * @param intervals in seconds; null: never
 */
export function tokenExpiry(now: Date, intervals: readonly (number | null)[]): string | null {
  const seconds = Math.min(...intervals.map((interval) => interval ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(seconds) ? new Date(now.getTime() + seconds * 1000).toISOString() : null
}
