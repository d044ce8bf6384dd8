import type { Platform } from '../../../platform/index.ts'
import { remoteSource } from './http.ts'
import { ownSource } from './own.ts'
import type { Source } from './source.ts'

export { atSource } from './operations.ts'
export { type Call, type Source, SourceFailed, SourceRefused } from './source.ts'

/** A source as it is stored. */
export type SourceAddress = { url: string; isOwn: boolean }

/**
 * Reads the address of a source: that of this server, or the base of another one.
 * @returns null for what is no such address
 */
export function sourceAddress({ externalUrl }: Platform, text: string): SourceAddress | null {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return null
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  if (base === externalUrl) return { url: base, isOwn: true }
  return base === url.origin ? { url: base, isOwn: false } : null
}

/** Opens a source. @param signal ends what is under way */
export function openSource(
  platform: Platform,
  { url, isOwn }: SourceAddress,
  { token, signal }: { token: string; signal: AbortSignal },
): Source {
  return isOwn ? ownSource(platform, { token, signal }) : remoteSource(platform, { url, token, signal })
}
