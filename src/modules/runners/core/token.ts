import { hashToken, randomToken } from '../../../infra/secrets/index.ts'

/** A new authentication token of a runner: the text, which is shown once, and what is stored. */
export function newRunnerToken(): { token: string; token_digest: string } {
  const token = randomToken('glrt-')
  return { token, token_digest: hashToken(token) }
}

/**
 * When a new token expires.
 * @param intervalSeconds setting of the project; null: never
 */
export function tokenExpiry(now: Date, intervalSeconds: number | null): string | null {
  return intervalSeconds === null ? null : new Date(now.getTime() + intervalSeconds * 1000).toISOString()
}
