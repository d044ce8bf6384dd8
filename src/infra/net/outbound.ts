import { lookup } from 'node:dns/promises'
import { type AddressKind, isInNetwork, kindOfAddress, literalAddress } from './addresses.ts'

/** A request may not go where it was to go. The message says why, in words for users. */
export class BlockedAddress extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BlockedAddress'
  }
}

/** Which addresses requests of the server may go to (design §11). */
export type OutboundPolicy = {
  /** Whether this machine and its networks may be reached. */
  allowLocal: boolean
  /** Hosts, addresses and networks that may be reached nevertheless; each with a port behind a colon or without. */
  exceptions?: readonly string[]
}

/** A host with the addresses at which it may be reached: a request must go to one of these and look up nothing itself. */
export type ResolvedHost = { hostname: string; port: number; addresses: readonly string[] }

/** Finds all addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

const systemLookup: Lookup = async (hostname) => {
  return (await lookup(hostname, { all: true })).map(({ address }) => address)
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443, 'git:': 9418 }

const sentences: Record<Exclude<AddressKind, 'public'>, string> = {
  localhost: 'Requests to localhost are not allowed',
  'link-local': 'Requests to the link local network are not allowed',
  local: 'Requests to the local network are not allowed',
}

function placeOf(url: URL): { hostname: string; port: number } {
  const hostname = url.hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
    .toLowerCase()
  return { hostname, port: url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port) }
}

/** Splits `host:port`; an IPv6 address has to stand in brackets for that. */
function exceptionOf(text: string): { host: string; port: number | null } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text.trim()) ?? []
  const host = bracketed ?? plain ?? text.trim()
  return { host: host.toLowerCase(), port: port === undefined ? null : Number(port) }
}

function isException(hostname: string, port: number, address: string, exceptions: readonly string[]): boolean {
  return exceptions.map(exceptionOf).some((exception) => {
    const isThere = exception.host === hostname || isInNetwork(address, exception.host)
    return isThere && (exception.port === null || exception.port === port)
  })
}

function check(hostname: string, port: number, address: string, { allowLocal, exceptions = [] }: OutboundPolicy): void {
  const kind = kindOfAddress(address)
  if (kind === 'public' || allowLocal || isException(hostname, port, address, exceptions)) return
  throw new BlockedAddress(sentences[kind])
}

/** A name of hosts; other characters mean something to those who are told where it leads (`+` and `-` do to curl). */
const hostName = /^[a-z0-9_][a-z0-9_.-]*$/

const isLocalName = (hostname: string) => hostname === 'localhost' || hostname.endsWith('.localhost')

/**
 * What can be said of an address without asking for the addresses of its name.
 * @throws BlockedAddress when the host is an address, or the name of this machine, that may not be reached
 */
export function checkLiteralHost(url: URL, policy: OutboundPolicy): void {
  const { hostname, port } = placeOf(url)
  const address = isLocalName(hostname) ? '127.0.0.1' : literalAddress(hostname)
  if (address !== null) check(hostname, port, address, policy)
}

/**
 * Looks up a host once and checks every address that it has. One that may not be reached blocks all of them: a name must
 * not be able to choose.
 * @throws BlockedAddress
 */
export async function resolveOutbound(
  url: URL,
  policy: OutboundPolicy,
  find: Lookup = systemLookup,
): Promise<ResolvedHost> {
  const { hostname, port } = placeOf(url)
  const literal = literalAddress(hostname)
  const found = hostName.test(hostname) ? find(hostname).catch(() => []) : []
  const addresses = literal === null ? await found : [literal]
  if (hostname === '' || addresses.length === 0) throw new BlockedAddress('Host cannot be resolved or invalid')
  for (const address of addresses) check(hostname, port, address, policy)
  return { hostname, port, addresses }
}
