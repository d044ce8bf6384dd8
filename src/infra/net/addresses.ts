import ipaddr from 'ipaddr.js'

/** Classes of addresses, for outbound requests. */
export type AddressKind = 'public' | 'localhost' | 'link-local' | 'local'

/** The only IPv6 addresses that are allocated for the public internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Classifies an address. Everything that is not clearly public is `local`: private, shared and reserved ranges, and IPv6
 * addresses that embed an IPv4 address.
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

/** Returns a host without brackets when it is an IP address, null when it is a name. */
export function literalAddress(host: string): string | null {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(bare) && (bare.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(bare)) ? bare : null
}

/** A network of this prefix length is assigned to one customer. */
const PREFIX_BITS = 64

/** The network that limits apply to: the /64 of an IPv6 address, the address itself for IPv4, also when it is mapped. */
export function networkOf(address: string): string {
  const bare = address.split('%', 1)[0] ?? ''
  if (!ipaddr.isValid(bare)) return bare
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${PREFIX_BITS}`).toString()
}

/** Whether a text is an address or a CIDR such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text) || literalAddress(text) === text
}

/**
 * Whether an address belongs to a network.
 * @param network a CIDR such as `10.0.0.0/8`, or a single address
 */
export function isInNetwork(address: string, network: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (ipaddr.isValidCIDR(network)) {
    const [base, bits] = ipaddr.parseCIDR(network)
    return base.kind() === parsed.kind() && parsed.match(base as never, bits)
  }
  return ipaddr.isValid(network) && ipaddr.process(network).toString() === parsed.toString()
}
