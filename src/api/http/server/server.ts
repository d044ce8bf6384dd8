import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../../../infra/clock/index.ts'
import { ReferenceViolation } from '../../../infra/database/index.ts'
import { GitError } from '../../../infra/git/index.ts'
import {
  ApiError,
  badRequest,
  internalError,
  recordNotFound,
  routeNotFound,
  unavailable,
  uriTooLong,
} from '../../operation/errors.ts'
import { carriesSecret } from '../../operation/parameters/credential-parameters.ts'
import { header } from '../../operation/request.ts'
import { answerToOutage } from '../outages.ts'
import { answerHalfClosed } from './connections.ts'
import { continueWhenRead } from './expectations.ts'
import { securityHeaders } from './headers.ts'
import { endsConnection, lingerOnUnreadBodies } from './lingering.ts'
import { pooledRandom } from './pooled-random.ts'
import { reasonPhrase } from './reason-phrase.ts'
import { makeRequestId } from './request-id.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Operation id for the log and the metrics; unlike paths it has few values. */
    operationId?: string
    userId?: number
    /** Whether the answer has only the headers that its service sets: it belongs to another origin than the server. */
    ownHeaders?: boolean
    startedAt: number
  }
}

/** Answers some of the requests: the API, git over HTTP, pages. The first service that knows the path answers. */
export type Service = {
  /** Answers the request, or returns false when the path belongs to another service. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<boolean>
}

type ServerOptions = {
  externalUrl: string
  /** Addresses or networks of proxies whose `X-Forwarded-*` headers are believed. */
  trustedProxies?: string[]
  clock: Clock
  log: Logger
  services: Service[]
  onResponse?: (request: FastifyRequest, reply: FastifyReply, seconds: number) => void
}

/** A URL for the log, with secrets of the query masked. */
export function withoutCredentials(url: string): string {
  const mark = url.indexOf('?') + 1
  if (mark === 0) return url
  const pairs = url.slice(mark).split('&')
  const masked = pairs.map((pair) => (carriesSecret(pair) ? `${pair.split('=', 1)[0]}=[masked]` : pair))
  return url.slice(0, mark) + masked.join('&')
}

function commonHeaders(request: FastifyRequest, fixed: Record<string, string>): Record<string, string> {
  return {
    ...fixed,
    'X-Request-Id': request.id,
    'X-Gitlab-Meta': `{"correlation_id":"${request.id}","version":"1"}`,
    'X-Runtime': ((performance.now() - request.startedAt) / 1000).toFixed(6),
    Vary: 'Origin',
  }
}

/** Whether the client closed the connection before the request was complete, which is not a defect. */
function isBrokenOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** The answer to an expected error: an API error, too many git processes, something deleted meanwhile, or storage that is away. */
function knownError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof GitError && error.code === 'busy') return unavailable()
  // What the request refers to was deleted after it was looked up. A deletion that is refused is a defect.
  if (error instanceof ReferenceViolation && !error.isOfDeletion) return recordNotFound()
  return answerToOutage(error) ?? undefined
}

/** Sends an error as its body. An unexpected error becomes a 500 without details, and one line in the log. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = knownError(error)
  if (!known && isBrokenOff(request)) {
    request.log.debug({ err: error }, 'request broken off')
    reply.raw.destroy()
    return
  }
  if (known && (answerToOutage(error) || error instanceof ReferenceViolation)) {
    request.log.warn({ err: error, operation: request.operationId }, 'request failed')
  }
  if (!known) request.log.error({ err: error, operation: request.operationId }, 'request failed')
  const answer = known ?? internalError()
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy()
    return
  }
  reply.headers({ 'Cache-Control': 'no-cache', ...answer.headers })
  reply
    .code(answer.status)
    .header('Content-Type', 'application/json')
    .send(Buffer.from(JSON.stringify(answer.body)))
}

function logResponse(request: FastifyRequest, reply: FastifyReply, seconds: number): void {
  const level = reply.statusCode >= 500 ? 'warn' : 'info'
  request.log[level](
    {
      method: request.method,
      path: withoutCredentials(request.url),
      status: reply.statusCode,
      ms: Math.round(seconds * 10_000) / 10,
      operation: request.operationId,
      user: request.userId,
      ip: request.ip,
      client_request_id: header(request, 'x-request-id')?.slice(0, 255),
    },
    'request',
  )
}

/** Answers what Node cannot parse as a request. */
function answerClientError(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const line = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.indexOf('\r\n') : 0
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW' && (line < 0 || line > 16 * 1024)
  const known = tooLong ? uriTooLong() : badRequest('malformed request')
  const body = JSON.stringify(known.body)
  socket.end(
    `HTTP/1.1 ${known.status} ${reasonPhrase(known.status)}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/**
 * The path and query of a request. Proxies may send the scheme and host too. Several slashes in a row count as one, since
 * clients join a base URL that ends in a slash with a path that begins with one. The query and encoded slashes stay as
 * they are.
 */
export function requestTarget(url: string): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/')
  if (!target.includes('//')) return target
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  return path.replace(/\/{2,}/g, '/') + target.slice(path.length)
}

/** Errors of the framework about the content type, raised before any service has seen the request. */
const contentTypeErrors = new Set(['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'])

/** In place of the framework's compilers of schemas: they are a hundred files, and its one route has no schema. */
function compileNothing(): never {
  throw new Error('the route of the server has no schema')
}

/** Creates the HTTP server: request ids, common headers, log and errors. The services answer the requests. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { clock, log, services } = options
  const fixed = securityHeaders(options.externalUrl)
  const random = pooledRandom(randomBytes)
  const server = fastify({
    loggerInstance: log as never,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => makeRequestId(clock.now(), random),
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: 64 * 1024 },
    requestTimeout: 0,
    routerOptions: { maxParamLength: 100_000 },
    schemaController: { compilersFactory: { buildValidator: compileNothing, buildSerializer: compileNothing } },
    rewriteUrl: (request) => requestTarget(request.url ?? '/'),
    // The framework's router rejects invalid escapes before any service sees the request.
    frameworkErrors: (_error, request, reply) => {
      const misread = request as unknown as FastifyRequest
      const answer = reply as unknown as FastifyReply
      // The hooks below do not run for these requests.
      misread.startedAt = performance.now()
      answer.headers(commonHeaders(misread, fixed))
      answer.raw.once('finish', () => logResponse(misread, answer, (performance.now() - misread.startedAt) / 1000))
      void dispatch(misread, answer)
    },
    clientErrorHandler: answerClientError,
  }) as unknown as FastifyInstance
  async function dispatch(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      for (const service of services) {
        if (await service.handle(request, reply)) return reply
      }
      throw routeNotFound()
    } catch (error) {
      sendError(error, request, reply)
      return reply
    }
  }
  answerHalfClosed(server.server)
  lingerOnUnreadBodies(server.server, clock)
  continueWhenRead(server.server)
  let closing = false
  server.removeAllContentTypeParsers()
  // Services read bodies themselves: as parameters, or as a stream.
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  server.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = performance.now()
    done()
  })
  server.addHook('onSend', (request, reply, _payload, done) => {
    // A page has stricter ones.
    if (!request.ownHeaders) {
      for (const [name, value] of Object.entries(commonHeaders(request, fixed))) {
        if (!reply.hasHeader(name)) reply.header(name, value)
      }
    }
    // The framework adds a charset, which the media type JSON does not have.
    if (String(reply.getHeader('content-type')).startsWith('application/json')) reply.type('application/json')
    if (closing || endsConnection(request.raw)) reply.header('Connection', 'close')
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const seconds = (performance.now() - request.startedAt) / 1000
    logResponse(request, reply, seconds)
    options.onResponse?.(request, reply, seconds)
    done()
  })
  server.addHook('preClose', (done) => {
    closing = true
    done()
  })
  // The services decide which content types they read, and which methods need one.
  server.setErrorHandler((error, request, reply) =>
    contentTypeErrors.has((error as { code?: string }).code ?? '')
      ? dispatch(request, reply)
      : sendError(error, request, reply),
  )
  server.all('/*', dispatch)
  server.setNotFoundHandler(dispatch)
  return server
}
