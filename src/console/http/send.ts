import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasCurrent, header, type Raw, weakEtag } from '../../api/index.ts'
import type { Html } from '../html/index.ts'

/**
 * What pages may load: their own style, script and pictures. No script or style stands in a page. Browsers apply the sources of
 * `form-action` also to where a form is redirected.
 */
const policyOf = (formSources: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${formSources}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The source of an address; its scheme where a policy cannot name the host. */
function sourceOf(address: string): string {
  const { origin, protocol } = new URL(address)
  return /^https?:\/\/[\w.-]+(:\d+)?$/.test(origin) ? origin : protocol
}

const compress = promisify(gzip)
/** Shorter pages fit one packet. */
const compressedFromBytes = 1_400

/** Whether the browser takes compressed bodies. */
export function acceptsGzip(request: FastifyRequest): boolean {
  return /\bgzip\b/.test(header(request, 'accept-encoding') ?? '')
}

/**
 * Sends a page. A browser that has the same page gets 304.
 * @param formsLeadTo address of another server to which its forms lead
 */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  html: Html,
  formsLeadTo?: string,
): Promise<void> {
  const text = `<!doctype html>\n${html.text}`
  reply.code(status).headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'max-age=0, private, must-revalidate',
    'Content-Security-Policy': policyOf(formsLeadTo ? `'self' ${sourceOf(formsLeadTo)}` : "'self'"),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    Vary: 'Cookie, Accept-Encoding',
  })
  if (status === 200 && request.method !== 'POST') {
    const etag = weakEtag(text)
    reply.header('ETag', etag)
    if (hasCurrent(request, etag)) return void reply.code(304).send()
  }
  const bytes = Buffer.from(text)
  if (bytes.length < compressedFromBytes || !acceptsGzip(request)) return void reply.send(bytes)
  reply.header('Content-Encoding', 'gzip')
  reply.send(await compress(bytes, { level: 5 }))
}

/** Types that a browser shows and that run nothing. */
const shownTypes = /^(text\/plain|image\/(png|jpeg|gif|webp|avif|bmp)|audio\/|video\/)/

/**
 * Sends bytes of users as they are. What could run in the origin of the pages is downloaded, and the policy forbids everything
 * that a browser would do with the rest.
 */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, { headers, body }: Raw): Promise<void> {
  const type = headers['Content-Type'] ?? 'application/octet-stream'
  reply.headers({
    ...headers,
    'Content-Type': type,
    'Cache-Control': 'max-age=0, private, must-revalidate',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Cookie',
  })
  if (!shownTypes.test(type) && !/^attachment/i.test(headers['Content-Disposition'] ?? '')) {
    reply.header('Content-Disposition', 'attachment')
  }
  if (headers.ETag !== undefined && hasCurrent(request, headers.ETag)) return void reply.code(304).send()
  if (request.method === 'HEAD') return void reply.send()
  reply.send(typeof body === 'function' ? await body() : body)
}

/** Leads the browser on. @param status 302 for a page, 303 after a form */
export function redirect(reply: FastifyReply, to: string, status: 301 | 302 | 303 | 308 = 303): void {
  reply.code(status).headers({ Location: to, 'Cache-Control': 'no-store' }).send()
}
