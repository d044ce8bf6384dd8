import { hash } from 'node:crypto'
import { header, type RequestInfo } from '../../operation/request.ts'

/** The weak tag of a body with this SHA-1, in base64url. */
export const etagOfSha1 = (sha1: string): string => `W/"${sha1}"`

/** The weak tag of a body. */
export const weakEtag = (body: string | Buffer): string => etagOfSha1(hash('sha1', body, 'base64url'))

const opaque = (tag: string) => tag.trim().replace(/^W\//, '')

/** Whether the caller already has the body with this tag (contract 00, 304): tags are compared weakly. */
export function hasCurrent(request: Pick<RequestInfo, 'headers'>, etag: string): boolean {
  const sent = header(request, 'if-none-match')
  return sent?.split(',').map(opaque).includes(opaque(etag)) ?? false
}
