import { hash } from 'node:crypto'
import { header, type RequestInfo } from '../operation/request.ts'

/** The weak tag of a body. */
export function weakEtag(body: string | Buffer): string {
  return `W/"${hash('sha1', body, 'base64url')}"`
}

const opaque = (tag: string) => tag.trim().replace(/^W\//, '')

/** Whether the caller already has the body with this tag (contract 00, 304): tags are compared weakly. */
export function hasCurrent(request: Pick<RequestInfo, 'headers'>, etag: string): boolean {
  const sent = header(request, 'if-none-match')
  return sent?.split(',').map(opaque).includes(opaque(etag)) ?? false
}
