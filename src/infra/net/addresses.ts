import ipaddr from 'ipaddr.js'

/** What kind of place an address is in, as far as it matters for requests that go out. */
export type AddressKind = 'public' | 'localhost' | 'link-local' | 'local'

/** Only these IPv6 addresses are given out for the public network. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Tells where an address leads. What is not plainly public is local: private networks, shared and reserved ranges, and
 * forms that carry an IPv4 address inside.
 * @param address an IPv4 or IPv6 address, without brackets
 */
export function kindOfAddress(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'local'
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === 'loopback' || range === 'unspecified') return 'localhost'
  if (range === 'linkLocal') return 'link-local'
  if (parsed.kind() === 'ipv6' && !(parsed as ipaddr.IPv6).match(globalUnicast)) return 'local'
  return range === 'unicast' ? 'public' : 'local'
}

/** Whether a host is written as an address; gives it without brackets. */
export function literalAddress(host: string): string | null {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(bare) && (bare.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(bare)) ? bare : null
}

/** Whether an address is one of a network, `10.0.0.0/8`, or equals another address. */
export function isInNetwork(address: string, network: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (ipaddr.isValidCIDR(network)) {
    const [base, bits] = ipaddr.parseCIDR(network)
    return base.kind() === parsed.kind() && parsed.match(base as never, bits)
  }
  return ipaddr.isValid(network) && ipaddr.process(network).toString() === parsed.toString()
}
