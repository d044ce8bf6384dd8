import { isIP } from 'node:net'
import type { Platform } from './platform.ts'

/** What the addresses of all sites have in common. */
export type PagesBase = {
  /** The host below which they are, in lower case and without a port. */
  hostname: string
  /** `http:` or `https:`. */
  protocol: string
  /** The port as addresses write it, with its colon; empty for that of the scheme. */
  port: string
}

const standardPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Names of this machine: sites are below `localhost`, which browsers look up on this machine as well. */
const isLocal = (hostname: string) => hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0

/** The origin of a site at a host. */
export const originOf = ({ protocol, port }: PagesBase, hostname: string): string => `${protocol}//${hostname}${port}`

/** Where sites are (contract 24, Pages: addresses). */
export function pagesBase({ config, externalUrl }: Pick<Platform, 'config' | 'externalUrl'>): PagesBase {
  const own = new URL(externalUrl)
  const { pagesHost: given, pagesListen: listen } = config
  const protocol = given?.protocol ?? own.protocol
  const hostname = given?.hostname ?? (isLocal(own.hostname) ? 'pages.localhost' : `pages.${own.hostname}`)
  const inherited = protocol === own.protocol ? own.port : ''
  const port = given?.port ?? (listen ? String(listen.port) : inherited)
  return { hostname, protocol, port: port === '' || port === standardPorts[protocol] ? '' : `:${port}` }
}
