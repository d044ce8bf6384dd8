import {
  type Actor,
  countRequest,
  deletePastWindows,
  isExceeded,
  nextThrottleState,
  type OwnThrottle,
  type OwnThrottleName,
  type Throttle,
  type ThrottleState,
  throttled,
} from '../api/index.ts'
import { networkOf } from '../infra/net/index.ts'
import type { Job } from './jobs/jobs.ts'
import type { Platform } from './platform.ts'
import type { InstanceSettings } from './settings/index.ts'

type ThrottleName =
  | 'throttle_authenticated_api'
  | 'throttle_unauthenticated_api'
  | 'throttle_unauthenticated_git_http'
  | 'throttle_protected_paths'
  | `throttle_${'authenticated' | 'unauthenticated'}_${OwnThrottleName | 'git_lfs'}`

/** A throttle as the settings define it; null when it is off, or has no requests or no period. */
function throttleOf(settings: InstanceSettings, name: ThrottleName): Throttle | null {
  const requests = settings[`${name}_requests_per_period`]
  const periodSeconds = settings[`${name}_period_in_seconds`]
  return settings[`${name}_enabled`] && requests > 0 && periodSeconds > 0 ? { name, requests, periodSeconds } : null
}

const userOf = (actor: Actor | undefined) => (actor?.kind === 'user' ? String(actor.userId) : null)

/**
 * Counts an API request against the throttle that applies to the caller (contract 00, "Rate limits"; 20 R7).
 * @param identify called only when a throttle is on
 * @param own the throttle of some operations, which replaces that of the API while it is on
 * @returns undefined when no throttle applies
 */
export async function countApiRequest(
  platform: Platform,
  identify: () => Promise<Actor | undefined>,
  ip: string,
  own?: OwnThrottle,
): Promise<ThrottleState | undefined> {
  const settings = await platform.settings.current()
  const known = throttleOf(settings, `throttle_authenticated_${own?.name ?? 'api'}`)
  const unknown = throttleOf(settings, `throttle_unauthenticated_${own?.name ?? 'api'}`)
  const authenticated = known ?? throttleOf(settings, 'throttle_authenticated_api')
  const unauthenticated = unknown ?? throttleOf(settings, 'throttle_unauthenticated_api')
  if (!authenticated && !unauthenticated) return undefined
  const caller = own?.caller ? await own.caller() : userOf(await identify())
  const throttle = caller === null ? unauthenticated : authenticated
  return throttle ? countRequest(platform, `${throttle.name}:${caller ?? ip}`, throttle) : undefined
}

/** Counts a request against the first of some throttles that is on. @throws ApiError 429 */
async function throttleBy(platform: Platform, names: readonly ThrottleName[], caller: string): Promise<void> {
  const settings = await platform.settings.current()
  const [throttle] = names.flatMap((name) => throttleOf(settings, name) ?? [])
  if (!throttle) return
  const standing = await countRequest(platform, `${throttle.name}:${caller}`, throttle)
  if (isExceeded(standing)) throw throttled(standing, settings.rate_limiting_response_text)
}

/**
 * Counts a git request without credentials.
 * @throws ApiError 429
 */
export const throttleAnonymousGit = (platform: Platform, ip: string) =>
  throttleBy(platform, ['throttle_unauthenticated_git_http'], ip)

/**
 * Counts a request for large files without credentials, against the throttle of git while it has none of its own (contract 00).
 * @throws ApiError 429
 */
export const throttleAnonymousLfs = (platform: Platform, ip: string) =>
  throttleBy(platform, ['throttle_unauthenticated_git_lfs', 'throttle_unauthenticated_git_http'], ip)

/** Counts a request for large files of a user. @throws ApiError 429 */
export const throttleLfsOf = (platform: Platform, userId: number) =>
  throttleBy(platform, ['throttle_authenticated_git_lfs'], String(userId))

/**
 * Counts a request to the container registry, which has no user ids (contract 02 R11).
 * @param subject of a verified token; null without one, and for the anonymous user
 * @returns undefined when no throttle applies
 * @throws ApiError 429
 */
export async function throttleRegistry(
  platform: Platform,
  subject: string | null,
  ip: string,
): Promise<ThrottleState | undefined> {
  const settings = await platform.settings.current()
  const name = subject === null ? 'throttle_unauthenticated_api' : 'throttle_authenticated_api'
  const throttle = throttleOf(settings, name)
  if (!throttle) return undefined
  const standing = await countRequest(platform, `${name}:registry:${subject ?? ip}`, throttle)
  if (isExceeded(standing)) throw throttled(standing, settings.rate_limiting_response_text)
  return standing
}

/**
 * Counts a delivery of alerts to a project (contract 07, "Throttle").
 * @returns undefined when the throttle is off
 * @throws ApiError 429
 */
export async function throttleAlerts(platform: Platform, projectId: number): Promise<ThrottleState | undefined> {
  const settings = await platform.settings.current()
  const name = 'throttle_incident_management_notification'
  if (!settings[`${name}_enabled`]) return undefined
  const requests = settings[`${name}_per_period`]
  const throttle = { name, requests, periodSeconds: settings[`${name}_period_in_seconds`] }
  const standing = await countRequest(platform, `${name}:${projectId}`, throttle)
  if (isExceeded(standing)) throw throttled(standing, settings.rate_limiting_response_text)
  return standing
}

/**
 * Counts a request on a path that takes passwords or secrets of clients, by address (contract 20, `throttle_protected_paths_…`).
 * @throws ApiError 429
 */
export const throttleProtectedPath = (platform: Platform, ip: string) =>
  throttleBy(platform, ['throttle_protected_paths'], networkOf(ip))

/** Of one address, more failed sign-ins by password than this are refused, whatever the accounts. */
const signInFailures: Throttle = { name: 'sign_in_failures', requests: 100, periodSeconds: 600 }

const failuresOf = (ip: string) => `${signInFailures.name}:${networkOf(ip)}`

/** Refuses an address from which too many sign-ins have failed. @throws ApiError 429 */
export async function requireFewFailures(platform: Platform, ip: string): Promise<void> {
  const standing = await nextThrottleState(platform, failuresOf(ip), signInFailures)
  if (!isExceeded(standing)) return
  throw throttled(standing, (await platform.settings.current()).rate_limiting_response_text)
}

/** Counts a failed sign-in of an address. */
export async function countFailure(platform: Platform, ip: string): Promise<void> {
  await countRequest(platform, failuresOf(ip), signInFailures)
}

/** Forms that everyone may send and that make accounts or mails: for an address of the network, and for one of a mailbox. */
const openForms: Throttle = { name: 'open_forms', requests: 20, periodSeconds: 3_600 }
const mailedLinks: Throttle = { name: 'mailed_links', requests: 5, periodSeconds: 3_600 }

/**
 * Counts a form that everyone may send, by address, also as a protected path.
 * @throws ApiError 429
 */
export async function throttleOpenForm(platform: Platform, ip: string): Promise<void> {
  await throttleProtectedPath(platform, ip)
  const standing = await countRequest(platform, `${openForms.name}:${networkOf(ip)}`, openForms)
  if (isExceeded(standing)) throw throttled(standing, (await platform.settings.current()).rate_limiting_response_text)
}

/** Counts a mail that everyone may cause. @returns whether it may be sent: others would have to read it */
export async function mayMailLink(platform: Platform, mailbox: string): Promise<boolean> {
  return !isExceeded(await countRequest(platform, `${mailedLinks.name}:${mailbox.toLowerCase()}`, mailedLinks))
}

/** Deletes past windows once a day. */
export const pruneRateWindows: Job<null> = {
  kind: 'rate_windows.prune',
  every: { seconds: 86_400 },
  run: deletePastWindows,
}
