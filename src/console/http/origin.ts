import type { FastifyRequest } from 'fastify'
import { forbidden } from '../../api/index.ts'

/**
 * Whether a request comes from a page of this server. Browsers send `Sec-Fetch-Site` to trustworthy origins only; elsewhere
 * `Origin` names the host of the request.
 */
function isOfOwnPage({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = headers
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
}

/** Requires that a form was sent from a page of this server. @throws ApiError 403 */
export function requireOwnPage(request: FastifyRequest): void {
  if (!isOfOwnPage(request)) throw forbidden('The form was not sent from a page of this server')
}

/** The address where it is a path of this server; `/` for everything else. */
export function localPath(address: unknown): string {
  return typeof address === 'string' && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(address) ? address : '/'
}
