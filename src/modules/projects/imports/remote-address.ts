/** Addresses of remote repositories, for imports and mirrors. */
import {
  BlockedAddress,
  checkLiteralHost,
  literalAddress,
  type OutboundPolicy,
  type ResolvedHost,
} from '../../../infra/net/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'

const longestUrl = 2048

/** The hosts that the server may connect to, from the settings. */
export function outboundPolicy(settings: InstanceSettings): OutboundPolicy {
  return {
    allowLocal: settings.allow_local_requests_from_web_hooks_and_services,
    exceptions: settings.outbound_local_requests_whitelist,
  }
}

/** Whether the login can be decoded. */
function hasReadableLogin({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username)
    decodeURIComponent(password)
    return true
  } catch {
    return false
  }
}

/**
 * Reads the address of a repository elsewhere. What its name leads to is found out when it is used.
 * @param schemes those that may be used, without a colon (`https`)
 * @returns the sentence that refuses it, or the address
 */
export function readRemoteAddress(text: string, schemes: readonly string[], settings: InstanceSettings): URL | string {
  if (text.length > longestUrl) return `is too long (maximum is ${longestUrl} characters)`
  const url = URL.parse(text)
  if (!url || !hasReadableLogin(url)) return 'is blocked: URI is invalid'
  if (!schemes.includes(url.protocol.slice(0, -1))) {
    return `is blocked: Only allowed schemes are ${schemes.join(', ')}`
  }
  if (url.hostname === '' || url.hostname.startsWith('-')) return 'is blocked: Host cannot be resolved or invalid'
  try {
    checkLiteralHost(url, outboundPolicy(settings))
  } catch (error) {
    if (!(error instanceof BlockedAddress)) throw error
    return `is blocked: ${error.message}`
  }
  return url
}

/** The address without its login. */
export function withoutLogin(address: URL): string {
  const bare = new URL(address)
  bare.username = ''
  bare.password = ''
  return bare.href
}

/** Pins the connection to the checked addresses, whatever the name resolves to later. */
export function pinnedAddress(
  url: URL,
  { hostname, port, addresses }: ResolvedHost,
): { url: string; config: string[] } {
  const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address)
  const to = new URL(url)
  // As it was looked up, without the dot that may end a name: under another spelling curl would look it up by itself.
  to.hostname = bracketed(hostname)
  if (literalAddress(hostname) !== null) return { url: to.href, config: [] }
  const [first = ''] = addresses
  if (url.protocol !== 'git:') {
    const joined = addresses.map(bracketed).join(',')
    return { url: to.href, config: [`http.curloptResolve=${hostname}:${port}:${joined}`] }
  }
  to.hostname = bracketed(first)
  return { url: to.href, config: [] }
}
