import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { primaryUrl } from '../secondary/client.ts'

/** Headers of one connection, which are not passed on (RFC 9110, section 7.6.1). */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
])

/** Marks a request that a secondary has passed on; another secondary refuses it. */
export const proxiedHeader = 'x-fennec-geo-proxied'

function passedHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
  const dropped = new Set([...connectionHeaders, ...named.map((name) => name.trim())])
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !dropped.has(name))
  return Object.fromEntries(kept) as Record<string, string | string[]>
}

function forwardedHeaders({ ip, headers, protocol }: FastifyRequest): Record<string, string> {
  const before = headers['x-forwarded-for']
  return {
    'x-forwarded-for': before === undefined ? ip : `${before}, ${ip}`,
    'x-forwarded-host': String(headers['x-forwarded-host'] ?? headers.host ?? ''),
    'x-forwarded-proto': String(headers['x-forwarded-proto'] ?? protocol),
  }
}

/** Sends a request to the primary. @throws Error when it cannot be reached */
function send(platform: Platform, request: FastifyRequest, name: string): Promise<IncomingMessage> {
  const base = primaryUrl(platform)
  const url = new URL(base)
  const open = url.protocol === 'https:' ? requestHttps : requestHttp
  const headers = { ...passedHeaders(request.headers), ...forwardedHeaders(request), [proxiedHeader]: name }
  const path = `${url.pathname.replace(/\/$/, '')}${request.url}`
  const options = { method: request.method, path, headers: { ...headers, host: url.host }, agent: false }
  return new Promise((resolve, reject) => {
    const sent = open(url, options, resolve)
    // Also after the answer has begun, when it says nothing more.
    sent.on('error', reject)
    request.raw.once('close', () => {
      if (!request.raw.complete) sent.destroy()
    })
    // A body without a length is sent in chunks, as it came.
    request.raw.pipe(sent)
  })
}

const gitPath = /\/(?:info\/refs|git-upload-pack|git-receive-pack)$/

/** Answers that the primary cannot be reached (contract 15, "Requests to a secondary"). */
function refuse(request: FastifyRequest, reply: FastifyReply): void {
  if (!gitPath.test(request.url.split('?', 1)[0] ?? '')) throw unavailable()
  reply
    .code(503)
    .headers({ 'Retry-After': '30', 'Cache-Control': 'no-cache' })
    .type('text/plain; charset=utf-8')
    .send('The primary node cannot be reached. Please try again later.')
}

/** Passes a request on to the primary, and its answer back, both unchanged. @param own headers of this server's answers; `onAnswer` is called before the client learns the answer */
export async function passOn(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, own, onAnswer }: { name: string; own: Record<string, string>; onAnswer?: () => void },
): Promise<void> {
  let answer: IncomingMessage
  try {
    answer = await send(platform, request, name)
  } catch (error) {
    platform.log.warn({ err: error }, 'the primary cannot be reached')
    reply.headers(own)
    return refuse(request, reply)
  }
  onAnswer?.()
  reply.hijack()
  const { raw } = reply
  raw.writeHead(answer.statusCode ?? 502, { ...passedHeaders(answer.headers), ...own })
  raw.once('close', () => answer.destroy())
  await pipeline(answer, raw).catch(() => raw.destroy())
}
