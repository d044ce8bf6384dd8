import { readFile } from 'node:fs/promises'
import { type Config, externalUrlOf, rootTokenFile } from '../../config.ts'
import { fail } from '../configured.ts'

/** The address of the server that a command talks to, without a slash at its end. @param given by `--url`; else the configured one */
export function urlOf(given: string | undefined, config: Config): string {
  if (given === undefined) {
    if (config.url === undefined && config.listen.port === 0) fail('FENNEC_LISTEN names no port: give --url')
    return externalUrlOf(config, config.listen.port)
  }
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) fail(`--url must be an address like http://127.0.0.1:8080`)
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** The token of root that the first start of the server has stored, or that is set. */
export async function rootTokenOf(config: Config): Promise<string | undefined> {
  if (config.rootToken) return config.rootToken
  const text = await readFile(rootTokenFile(config), 'utf8').catch(() => '')
  return text.trim() || undefined
}
