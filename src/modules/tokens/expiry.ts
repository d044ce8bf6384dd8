import { dayAfter, dayOf } from '../../api/index.ts'
import type { InstanceSettings } from '../../platform/settings/index.ts'
import type { AccessTokenKind } from './tables.ts'
import type { ExpiryRange } from './validation.ts'

/** The settings that limit the lifetime of access tokens. */
type ExpirySettings = Pick<
  InstanceSettings,
  | 'require_personal_access_token_expiry'
  | 'max_personal_access_token_lifetime'
  | 'service_access_tokens_expiration_enforced'
>

const enforcedLifetimeDays = 365
const rotationDays = 7

/**
 * The last day on which a token created now may expire: the instance's maximum lifetime, or 365 days while an expiry is
 * required (contract 20, "Resolved gaps"). Also the default. Service accounts may be exempt (contract 12, "Token lifetime").
 * @returns `YYYY-MM-DD`; null when tokens need not expire
 */
export function latestExpiry(settings: ExpirySettings, moment: Date, kind: AccessTokenKind): string | null {
  if (kind === 'service_account' && !settings.service_access_tokens_expiration_enforced) return null
  const enforced = settings.require_personal_access_token_expiry ? enforcedLifetimeDays : null
  const days = settings.max_personal_access_token_lifetime ?? enforced
  return days === null ? null : dayAfter(moment, days)
}

/** The days on which a token created now may expire; only tokens of service accounts may not have expired (contract 3.27). */
export function expiryRange(settings: ExpirySettings, moment: Date, kind: AccessTokenKind): ExpiryRange {
  return {
    earliest: kind === 'service_account' ? dayOf(moment) : null,
    latest: latestExpiry(settings, moment, kind),
  }
}

/** The default expiry of a rotated token: in a week, or earlier when the maximum lifetime is shorter (contract 20). */
export function rotationExpiry(settings: ExpirySettings, moment: Date, kind: AccessTokenKind): string {
  const latest = latestExpiry(settings, moment, kind)
  const planned = dayAfter(moment, rotationDays)
  return latest !== null && latest < planned ? latest : planned
}

/** Whether a token has expired: it has from the first moment of its expiry day (contract 00, "Token"). */
export function isPastExpiry(token: { expires_at: string | null }, moment: Date): boolean {
  return token.expires_at !== null && token.expires_at <= dayOf(moment)
}
