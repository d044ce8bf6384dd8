import { BlockedAddress, checkLiteralHost, type OutboundPolicy } from '../../infra/net/index.ts'
import type { InstanceSettings } from '../settings/index.ts'

const schemes = ['http:', 'https:', 'ssh:', 'git:']
const longestUrl = 2048
const stars = '*****'

/** Where the server may go, as the settings say. */
export function outboundPolicy(settings: InstanceSettings): OutboundPolicy {
  return {
    allowLocal: settings.allow_local_requests_from_web_hooks_and_services,
    exceptions: settings.outbound_local_requests_whitelist,
  }
}

function canBeDecoded(url: URL): boolean {
  try {
    decodeURIComponent(url.username)
    decodeURIComponent(url.password)
    return true
  } catch {
    return false
  }
}

/**
 * Reads the address of a mirror. What its name leads to is found out when it is used.
 * @returns the sentence that refuses it, or the address
 */
export function readAddress(text: string, policy: OutboundPolicy): URL | string {
  if (text.length > longestUrl) return `is too long (maximum is ${longestUrl} characters)`
  const url = URL.parse(text)
  if (!url || !canBeDecoded(url)) return 'is blocked: URI is invalid'
  if (!schemes.includes(url.protocol)) return 'is blocked: Only allowed schemes are http, https, ssh, git'
  if (url.hostname === '' || url.hostname.startsWith('-')) return 'is blocked: Host cannot be resolved or invalid'
  try {
    checkLiteralHost(url, policy)
  } catch (error) {
    if (!(error instanceof BlockedAddress)) throw error
    return `is blocked: ${error.message}`
  }
  return url
}

/** An address as it is shown: with stars where the credentials are (contract 22, x.rmirror_create). */
export function shownAddress(address: URL): string {
  if (address.username === '' && address.password === '') return address.href
  const shown = new URL(address)
  shown.username = stars
  shown.password = stars
  return shown.href
}

/** The same address with other credentials; what is not given stays. */
export function withLogin(address: URL, user: string | undefined, password: string | undefined): URL {
  const changed = new URL(address)
  if (user !== undefined) changed.username = encodeURIComponent(user)
  if (password !== undefined) changed.password = encodeURIComponent(password)
  return changed
}

function withoutLogin(address: URL): string {
  const bare = new URL(address)
  bare.username = ''
  bare.password = ''
  return bare.href
}

/**
 * The address that follows another one. Credentials stay with the repository that they were given for: whoever may change
 * the address is not thereby let in to all that they open on the same server.
 * @param given without credentials of its own, or with the stars that are shown in their place
 */
export function followingAddress(given: URL, before: URL | null): URL {
  const isShown = given.username === stars && given.password === stars
  const hasNone = given.username === '' && given.password === ''
  if (!isShown && !hasNone) return given
  const keeps = before !== null && withoutLogin(given) === withoutLogin(before)
  const next = new URL(given)
  next.username = keeps ? before.username : ''
  next.password = keeps ? before.password : ''
  return next
}
