/** Loopback addresses of native applications, whose port is known only when they run (RFC 8252, 7.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/

const withoutPort = (address: string) => address.replace(loopback, '$1')

/** Addresses that lead nowhere, such as `urn:ietf:wg:oauth:2.0:oob`. */
const leads = (address: string) => URL.canParse(address) && new URL(address).protocol !== 'urn:'

/**
 * Whether answers may go to an address: it is one of the registered ones, to the byte. Only the port of a loopback address may
 * be another one.
 * @param registered one address a line
 */
export function isRegistered(registered: string, address: string): boolean {
  if (!leads(address)) return false
  const known = registered.split('\n')
  return known.includes(address) || (loopback.test(address) && known.map(withoutPort).includes(withoutPort(address)))
}

/**
 * Whether an address leads to the application and to no other one: a name in the web does, unlike the schemes and ports of a
 * device, which any program may take (RFC 8252, 8.6).
 */
export const identifiesApplication = (address: string) => address.startsWith('https://')

/** An address with parameters added to its own. */
export function withParameters(address: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const { href } = new URL(address)
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  const mark = !href.includes('?') ? '?' : /[?&]$/.test(href) ? '' : '&'
  return `${href}${mark}${new URLSearchParams(given)}`
}
