import { dayAfter, dayOf } from '../../api/index.ts'
import type { AccessTokenKind } from './tables.ts'

/** The settings that decide how long access tokens may live. */
export type ExpiryRules = {
  readonly require_personal_access_token_expiry: boolean
  /** Days. */
  readonly max_personal_access_token_lifetime: number | null
  readonly service_access_tokens_expiration_enforced: boolean
}

const enforcedLifetimeDays = 365
const rotationDays = 7

/**
 * The last day on which a token made now may expire: the instance's longest lifetime, or 365 days while an expiry is
 * demanded at all (contract 20, "Resolved gaps"). Also what a token gets that names no day. Nothing is demanded of service
 * accounts where the instance says so (contract 12, "Token lifetime").
 * @returns `YYYY-MM-DD`, or null where tokens may live for ever
 */
export function latestExpiry(rules: ExpiryRules, moment: Date, kind: AccessTokenKind): string | null {
  if (kind === 'service_account' && !rules.service_access_tokens_expiration_enforced) return null
  const enforced = rules.require_personal_access_token_expiry ? enforcedLifetimeDays : null
  const days = rules.max_personal_access_token_lifetime ?? enforced
  return days === null ? null : dayAfter(moment, days)
}

/** The day that a rotation gives when none is named: a week from today, or less where less is the most (contract 20). */
export function rotationExpiry(rules: ExpiryRules, moment: Date, kind: AccessTokenKind): string {
  const latest = latestExpiry(rules, moment, kind)
  const planned = dayAfter(moment, rotationDays)
  return latest !== null && latest < planned ? latest : planned
}

/** Whether a token is dead by its date: it is from the first moment of that day on (contract 00, "Token"). */
export function isPastExpiry(token: { expires_at: string | null }, moment: Date): boolean {
  return token.expires_at !== null && token.expires_at <= dayOf(moment)
}
