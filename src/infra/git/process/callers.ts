import { networkOf } from '../../net/index.ts'

/**
 * The key by which process slots are shared out. An authenticated caller has slots of its own; anonymous callers share
 * those of their address.
 * @param name identifies an authenticated caller; undefined for an anonymous one
 * @param address of the client; an IPv6 address counts as its /64 network, an IPv4-mapped address as the IPv4 address
 */
export function callerOf(name: string | undefined, address: string): string {
  return name === undefined ? `address ${networkOf(address)}` : `name ${name}`
}
