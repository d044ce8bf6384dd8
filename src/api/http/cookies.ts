import type { IncomingHttpHeaders } from 'node:http'

/**
 * The name that a cookie has in a browser. Where the server is reached by HTTPS it begins with `__Host-`, so that no other
 * origin of the domain can set it.
 */
export function cookieName(externalUrl: string, name: string): string {
  return `${externalUrl.startsWith('https:') ? '__Host-' : ''}fennec_${name}`
}

/** The value of a cookie of a request. @param fullName as `cookieName` gives it */
export function readCookie({ cookie = '' }: IncomingHttpHeaders, fullName: string): string | undefined {
  const wanted = `${fullName}=`
  const pair = cookie.split(/; */).find((one) => one.startsWith(wanted))
  return pair?.slice(wanted.length)
}
