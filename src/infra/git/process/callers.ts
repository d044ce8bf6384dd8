import ipaddr from 'ipaddr.js'

/** A network of this prefix length is assigned to one customer. */
const PREFIX_BITS = 64

/**
 * The key by which process slots are shared out. An authenticated caller has slots of its own; anonymous callers share
 * those of their address.
 * @param name identifies an authenticated caller; undefined for an anonymous one
 * @param address of the client; an IPv6 address counts as its /64 network, an IPv4-mapped address as the IPv4 address
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
