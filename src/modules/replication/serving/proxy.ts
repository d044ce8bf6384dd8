import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { requestHttp, requestHttps } from '../../../infra/net/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { primaryUrl } from '../secondary/client.ts'
import type { Exchange } from './local-reads.ts'
import { whenWhole } from './when-whole.ts'

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

/** How long the primary may take to accept a connection. */
const connectMs = 10_000

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
    // A machine that is gone answers nothing at all.
    const timer = platform.clock.setTimer(() => sent.destroy(new Error('no connection in time')), connectMs)
    sent.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', timer.cancel)
      else timer.cancel()
    })
    sent.once('close', timer.cancel)
    // Also after the answer has begun, when it says nothing more.
    sent.on('error', reject)
    request.raw.once('close', () => {
      if (!request.raw.complete) sent.destroy()
    })
    // A body without a length is sent in chunks, as it came.
    request.raw.pipe(sent)
  })
}

/** What is done with the answer of the primary before the client has all of it. */
export type Passing = {
  /** The name of this server. */
  name: string
  /** Headers that this server adds, or puts in the place of those of the answer. */
  headers: (answer: IncomingMessage) => Record<string, string>
  /** Called before the client learns the answer. */
  onAnswer?: (answer: IncomingMessage) => Promise<void>
  /** Called with a whole body, if it is not too long (`whenWhole`), before the client has any of it. */
  onBody?: (answer: IncomingMessage, body: Buffer) => Promise<void>
}

/**
 * Passes a request on to the primary, and its answer back, both unchanged.
 * @returns false when the primary cannot be reached: nothing has been answered
 */
export async function passOn(
  platform: Platform,
  { request, reply }: Exchange,
  { name, headers, onAnswer, onBody }: Passing,
): Promise<boolean> {
  let answer: IncomingMessage
  try {
    answer = await send(platform, request, name)
  } catch (error) {
    platform.log.warn({ err: error }, 'the primary cannot be reached')
    return false
  }
  await onAnswer?.(answer)
  reply.hijack()
  const { raw } = reply
  raw.writeHead(answer.statusCode ?? 502, { ...passedHeaders(answer.headers), ...headers(answer) })
  raw.once('close', () => answer.destroy())
  const watched = onBody ? [whenWhole((body) => onBody(answer, body))] : []
  await pipeline([answer, ...watched, raw]).catch(() => raw.destroy())
  return true
}
