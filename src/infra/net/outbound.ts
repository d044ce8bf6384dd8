import { lookup } from 'node:dns/promises'
import { type AddressKind, isInNetwork, kindOfAddress, literalAddress } from './addresses.ts'

/** An outbound request is not allowed. The message is shown to users. */
export class BlockedAddress extends Error {
  override name = 'BlockedAddress'
}

/** The addresses that outbound requests may reach (design §11). */
export type OutboundPolicy = {
  /** Whether this machine and local networks may be reached. */
  allowLocal: boolean
  /** Hosts, addresses and networks that may always be reached, each optionally followed by `:port`. */
  exceptions?: readonly string[]
}

/** A host with its checked addresses. A request must connect to one of them and must not resolve the name again. */
export type ResolvedHost = { hostname: string; port: number; addresses: readonly string[] }

/** Resolves a name to all its addresses. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

const systemLookup: Lookup = async (hostname) => {
  return (await lookup(hostname, { all: true })).map(({ address }) => address)
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443, 'git:': 9418, 'ssh:': 22 }

const sentences: Record<Exclude<AddressKind, 'public'>, string> = {
  localhost: 'Requests to localhost are not allowed',
  'link-local': 'Requests to the link local network are not allowed',
  local: 'Requests to the local network are not allowed',
}

function hostOf(url: URL): { hostname: string; port: number } {
  const hostname = url.hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
    .toLowerCase()
  return { hostname, port: url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port) }
}

/** Splits `host:port`. An IPv6 address with a port must be in brackets. */
function exceptionOf(text: string): { host: string; port: number | null } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text.trim()) ?? []
  const host = bracketed ?? plain ?? text.trim()
  return { host: host.toLowerCase(), port: port === undefined ? null : Number(port) }
}

function isException(hostname: string, port: number, address: string, exceptions: readonly string[]): boolean {
  return exceptions.map(exceptionOf).some((exception) => {
    const isMatch = exception.host === hostname || isInNetwork(address, exception.host)
    return isMatch && (exception.port === null || exception.port === port)
  })
}

function check(hostname: string, port: number, address: string, { allowLocal, exceptions = [] }: OutboundPolicy): void {
  const kind = kindOfAddress(address)
  if (kind === 'public' || allowLocal || isException(hostname, port, address, exceptions)) return
  throw new BlockedAddress(sentences[kind])
}

/** A host name. Other characters have a meaning to clients that receive the resolved address (`+` and `-` in curl). */
const hostName = /^[a-z0-9_][a-z0-9_.-]*$/

const isLocalName = (hostname: string) => hostname === 'localhost' || hostname.endsWith('.localhost')

/**
 * Checks a URL whose host is an IP address or `localhost`, without resolving names.
 * @throws BlockedAddress when the address may not be reached
 */
export function checkLiteralHost(url: URL, policy: OutboundPolicy): void {
  const { hostname, port } = hostOf(url)
  const address = isLocalName(hostname) ? '127.0.0.1' : literalAddress(hostname)
  if (address !== null) check(hostname, port, address, policy)
}

/**
 * Resolves the host of a URL and checks all its addresses.
 * @throws BlockedAddress when the name cannot be resolved, or one of the addresses may not be reached
 */
export async function resolveOutbound(
  url: URL,
  policy: OutboundPolicy,
  find: Lookup = systemLookup,
): Promise<ResolvedHost> {
  const { hostname, port } = hostOf(url)
  const literal = literalAddress(hostname)
  const found = hostName.test(hostname) ? find(hostname).catch(() => []) : []
  const addresses = literal === null ? await found : [literal]
  if (hostname === '' || addresses.length === 0) throw new BlockedAddress('Host cannot be resolved or invalid')
  for (const address of addresses) check(hostname, port, address, policy)
  return { hostname, port, addresses }
}
