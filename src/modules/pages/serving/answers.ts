import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasCurrent, requestedRange } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { IndexedFile } from '../files/format.ts'
import { openBytes } from '../files/lookup.ts'
import type { PagesDeploymentRow } from '../tables.ts'
import { mediaTypeOf } from './types.ts'

/** Headers of every answer of a host of sites. */
const common = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
}

/** What other sites may do with a site that everyone may see, and with one that only some may: nothing (contract 24, Pages: serving and safety). */
export const headersOf = (isPublic: boolean): Record<string, string> =>
  isPublic
    ? { ...common, 'Cache-Control': 'max-age=600', 'Access-Control-Allow-Origin': '*' }
    : {
        ...common,
        ...{ 'Cache-Control': 'no-store', 'X-Frame-Options': 'SAMEORIGIN' },
        ...{ 'Cross-Origin-Resource-Policy': 'same-origin', 'Cross-Origin-Opener-Policy': 'same-origin' },
      }

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Sign in to see this page',
  404: 'Page not found',
  405: 'Method not allowed',
  416: 'Range not satisfiable',
}

/** A page of the server itself, in which no name of a project is. */
export function sendOwnPage(reply: FastifyReply, status: number, headers: Record<string, string> = {}): void {
  const title = titles[status] ?? 'Something went wrong'
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1></html>\n`
  reply
    .code(status)
    .headers({ ...headersOf(false), 'Content-Type': 'text/html; charset=utf-8' })
    .headers({ 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'", ...headers })
    .send(Buffer.from(page))
}

/** A text of the server itself about a site. */
export function sendText(reply: FastifyReply, isPublic: boolean, content: string): void {
  reply.headers({ ...headersOf(isPublic), 'Content-Type': 'text/plain; charset=utf-8' }).send(Buffer.from(content))
}

/** Leads to another address. @param status 301, 302, 307 or 308 */
export function sendRedirect(reply: FastifyReply, isPublic: boolean, status: number, to: string): void {
  reply
    .code(status)
    .headers({ ...headersOf(isPublic), Location: to, 'Content-Length': '0' })
    .send()
}

/** A file that is to be sent. */
export type SentFile = {
  deployment: PagesDeploymentRow
  file: IndexedFile
  /** Path of what was asked for: a compressed file stands for another one. */
  path: string
  encoding: 'br' | 'gzip' | null
  status: 200 | 404
  isPublic: boolean
}

/** Whether the client has the file: by its tag, and by the time of the deployment where it sends no tag (RFC 9110, 13.2.2). */
function isCurrent(request: FastifyRequest, etag: string, { created_at }: PagesDeploymentRow): boolean {
  if (request.headers['if-none-match'] !== undefined) return hasCurrent(request, etag)
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return since >= Math.floor(Date.parse(created_at) / 1000) * 1000
}

/** Sends a file, or the range of it that is asked for. */
export async function sendFile(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { deployment, file, path, encoding, status, isPublic }: SentFile,
): Promise<void> {
  const etag = `"${file.digest}"`
  reply.headers({
    ...headersOf(isPublic),
    ...{ ETag: etag, 'Last-Modified': new Date(deployment.created_at).toUTCString(), Vary: 'Accept-Encoding' },
    ...(encoding && { 'Content-Encoding': encoding }),
  })
  if (status === 200 && isCurrent(request, etag, deployment)) return void reply.code(304).send()
  const range = status === 200 ? requestedRange(request, { sizeBytes: file.sizeBytes, etag }) : null
  if (range === 'unsatisfiable') {
    reply.removeHeader('Content-Encoding')
    return sendOwnPage(reply, 416, { 'Content-Range': `bytes */${file.sizeBytes}` })
  }
  const { firstByte, lastByte } = range ?? { firstByte: 0, lastByte: file.sizeBytes - 1 }
  const lengthBytes = lastByte - firstByte + 1
  const isSent = request.method !== 'HEAD' && lengthBytes > 0
  const bytes = isSent ? await openBytes(platform, deployment, file.offset + firstByte, lengthBytes) : null
  reply.code(range ? 206 : status).headers({
    ...{ 'Content-Type': mediaTypeOf(path), 'Content-Length': String(lengthBytes), 'Accept-Ranges': 'bytes' },
    ...(range && { 'Content-Range': `bytes ${firstByte}-${lastByte}/${file.sizeBytes}` }),
  })
  reply.send(bytes ?? (request.method === 'HEAD' ? undefined : ''))
}
