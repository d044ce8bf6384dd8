import { hash } from 'node:crypto'
import { header, type RequestInfo } from '../operation/request.ts'

/** The weak tag of a body. */
export function weakEtag(body: string | Buffer): string {
  return `W/"${hash('sha1', body, 'base64url')}"`
}

/** Whether the caller has the body with this tag already (contract 00, 304): tags are compared weakly. */
export function hasCurrent(request: Pick<RequestInfo, 'headers'>, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  const known = (header(request, 'if-none-match') ?? '').split(',').map(opaque)
  return known.includes(opaque(etag))
}
