import { ConfigError, type Read } from './source.ts'

/** The host below which each site has one of its own. */
export type PagesHost = {
  /** In lower case, without a port. */
  hostname: string
  /** `http:` or `https:`; undefined: as the server. */
  protocol: string | undefined
  /** Undefined where none is written. */
  port: string | undefined
}

const shape = /^(?:(https?:)\/\/)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?\/?$/i
/** The last label has a letter, as that of an IPv4 address has not. */
const isName = (hostname: string) => /(?:^|\.)[a-z0-9-]*[a-z][a-z0-9-]*$/.test(hostname) && !hostname.includes('..')

/** Whether a host is another one or below it. Both are in lower case. */
export const isBelowHost = (hostname: string, above: string): boolean =>
  hostname === above || hostname.endsWith(`.${above}`)

/**
 * The setting `FENNEC_PAGES_HOST`.
 * @param externalUrl of the server
 * @throws ConfigError for an address, and for a host to which the server itself belongs: sites must not share its origin or its cookies
 */
export function pagesHost(read: Read, externalUrl: string | undefined): PagesHost | undefined {
  const source = read('FENNEC_PAGES_HOST')
  if (!source) return undefined
  const [, protocol, written = '', port] = shape.exec(source.value) ?? []
  const hostname = written.toLowerCase()
  if (!isName(hostname) || Number(port ?? 0) > 65_535) {
    throw new ConfigError(`${source.from} must be a host name like pages.example, not '${source.value}'`)
  }
  const own = externalUrl === undefined ? 'localhost' : new URL(externalUrl).hostname
  if (isBelowHost(own, hostname)) {
    throw new ConfigError(`${source.from} must not be the host of the server, nor one above it: '${hostname}'`)
  }
  return { hostname, protocol: protocol?.toLowerCase(), port }
}
