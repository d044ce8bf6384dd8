import ipaddr from 'ipaddr.js'

/** Whoever has one IPv6 address has a whole network of this prefix. */
const PREFIX_BITS = 64

/**
 * Who shares places with whom: one who is known has places of their own wherever they come from, everybody else shares those of their address.
 * @param name what tells known callers apart; undefined for somebody who is not known
 * @param address where the request comes from; of IPv6 the /64 network counts, and an IPv4 address inside of it as itself
 */
export function callerOf(name: string | undefined, address: string): string {
  return name === undefined ? `address ${networkOf(address)}` : `name ${name}`
}

function networkOf(address: string): string {
  const bare = address.split('%', 1)[0] ?? ''
  if (!ipaddr.isValid(bare)) return bare
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${PREFIX_BITS}`).toString()
}
