import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, anonymous, isAdministrator } from '../operation/actor.ts'
import {
  ApiError,
  forbidden,
  malformedBody,
  methodNotAllowed,
  recordNotFound,
  routeNotFound,
  unauthorized,
  uriTooLong,
} from '../operation/errors.ts'
import { emptyParameters, parseNestedParameters, type RawParameters } from '../operation/nested-parameters.ts'
import { type Context, type Operation, parametersOf, requireUnmodified } from '../operation/operation.ts'
import { type Page, pageHeaders, pageRequest } from '../operation/pagination.ts'
import { parameterError } from '../operation/parameter-errors.ts'
import { isPathNumber, type ParamSet, type PathNumber } from '../operation/params.ts'
import { header, type RequestInfo } from '../operation/request.ts'
import { bytesOf, type Raw, type ResultSchema } from '../operation/results.ts'
import { requireScope } from '../operation/scopes.ts'
import { type Authenticator, applySudo, authenticate } from './authentication.ts'
import { type BodyLimits, readBody } from './body.ts'
import { hasCurrent, weakEtag } from './etag.ts'
import { corsHeaders, preflightHeaders } from './headers.ts'
import { isExceeded, type Standing, throttled, throttleHeaders } from './rate-limit.ts'
import { buildRouter } from './router.ts'
import { serialiserOf } from './serialise.ts'
import type { Service } from './server.ts'

export type ApiOptions = {
  /** What operations and subjects are given to work on. */
  platform?: unknown
  operations: readonly Operation[]
  externalUrl: string
  authenticator: Authenticator
  /** Counts the request against the throttle that applies to it; undefined when none is on. Asks who it is only if it must. */
  throttle(identify: () => Promise<Actor | undefined>, ip: string): Promise<Standing | undefined>
  throttleText(): Promise<string | null>
  bodyLimits: BodyLimits
}

const maximumLineBytes = 16 * 1024
const integerText = /^[+-]?\d+$/

const largestId = 2n ** 63n - 1n

/** Step 2: a path whose number is none, where that makes it another path. */
function checkNumericRoute(operation: Operation, path: Record<string, string>): void {
  for (const [name, otherwise] of Object.entries(operation.numericPath ?? {})) {
    if (otherwise === 'route' && !integerText.test(path[name] ?? '')) throw routeNotFound()
  }
  for (const [name, text] of Object.entries(path)) {
    const { otherwise } = (operation.params?.[name] ?? {}) as Partial<PathNumber>
    if (otherwise === 'route' && !isPathNumber(text)) throw routeNotFound()
  }
}

/** Step 12: the same where it is a wrong parameter; a number that no id can be names nothing. */
function checkNumericPath(operation: Operation, path: Record<string, string>): void {
  for (const name of Object.keys(operation.numericPath ?? {})) {
    const text = path[name] ?? ''
    if (!integerText.test(text)) throw parameterError(name, 'is invalid')
    const id = BigInt(text.replace(/^\+/, ''))
    if (id > largestId || id < -largestId) throw recordNotFound()
  }
}

/** To be handed on as it is: a copy would make the signal of every request, which few look at. */
function requestInfo(
  request: FastifyRequest,
  reply: FastifyReply,
  path: Record<string, string>,
  raw: RawParameters,
  query: RawParameters,
): RequestInfo {
  let abort: AbortController | undefined
  return {
    id: request.id,
    method: request.method,
    url: request.url,
    path,
    query,
    raw,
    headers: request.headers,
    ip: request.ip,
    get signal() {
      if (!abort) {
        abort = new AbortController()
        const { raw } = reply
        // Whoever has the whole answer goes away too, and nothing is left to be broken off. (The request itself is closed as
        // soon as it has been read.)
        raw.once('close', () => {
          if (!raw.writableFinished) abort?.abort()
        })
        if (raw.closed) abort.abort()
      }
      return abort.signal
    },
  }
}

/** Steps 7 to 11: who may come this far, with what. */
async function authorised(platform: unknown, operation: Operation, info: RequestInfo, actor: Actor): Promise<unknown> {
  const { subject, allow } = operation
  if (actor.kind === 'anonymous' && !subject.opensToAnonymous(allow)) throw unauthorized()
  if (subject.administratorsOnly(allow) && !isAdministrator(actor)) throw forbidden()
  const found = await subject.find(platform, info, actor)
  await subject.authorize(actor, found, allow)
  return found
}

type Answer = { status: number; headers: Record<string, string> }

async function run(platform: unknown, operation: Operation, info: RequestInfo, actor: Actor, answer: Answer) {
  const subject = await authorised(platform, operation, info, actor)
  checkNumericPath(operation, info.path)
  const params = parametersOf(operation, info)
  const isList = operation.list !== undefined || 'pageOf' in operation.result[1]
  const page = pageRequest(isList ? info.raw : {}, operation.list ?? {})
  const context: Context<unknown, unknown, string, ParamSet> = {
    platform,
    subject,
    actor,
    params,
    page,
    request: info,
    setStatus: (status) => {
      const isDeclared = status === operation.result[0] || operation.answers?.[status] !== undefined
      if (!isDeclared) throw new Error(`${operation.id} does not declare an answer with status ${status}`)
      answer.status = status
    },
    setHeader: (name, value) => {
      answer.headers[name] = value
    },
    unmodified: (at) => requireUnmodified(info, at),
  }
  return { result: await operation.run(context), page }
}

function isCacheable(answer: Answer, request: FastifyRequest): boolean {
  return answer.status === 200 && (request.method === 'GET' || request.method === 'HEAD')
}

function cachingOf(answer: Answer, request: FastifyRequest): string {
  return isCacheable(answer, request) ? 'max-age=0, private, must-revalidate' : 'no-cache'
}

function sendJson(body: string, answer: Answer, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(answer.headers)
  reply.header('Cache-Control', cachingOf(answer, request))
  if (isCacheable(answer, request)) {
    const etag = weakEtag(body)
    reply.header('ETag', etag)
    if (hasCurrent(request, etag)) {
      reply.code(304).send()
      return
    }
  }
  const content = Object.values(answer.headers).every(isAscii) ? body : Buffer.from(body)
  reply.code(answer.status).header('Content-Type', 'application/json').send(content)
}

/** Headers in front of a text are sent in the text's encoding, UTF-8; in front of bytes they go out byte by byte. */
function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are a part of ASCII
  return /^[\u0000-\u007f]*$/.test(text)
}

/** Sends what the operation has written itself, as far as the caller wants it. */
async function sendBytes({ headers, body }: Raw, answer: Answer, request: FastifyRequest, reply: FastifyReply) {
  const isKnown = headers.ETag !== undefined && isCacheable(answer, request) && hasCurrent(request, headers.ETag)
  const isWanted = !isKnown && request.method !== 'HEAD'
  // Before any header is set: what cannot be opened is answered by an error.
  const content = isWanted && typeof body === 'function' ? await body() : body
  const { 'Content-Length': _length, 'Content-Type': _type, ...withoutBody } = headers
  const told = isKnown ? withoutBody : headers
  reply.headers({ 'Cache-Control': cachingOf(answer, request), ...answer.headers, ...told })
  reply.code(isKnown ? 304 : answer.status)
  if (isWanted || (!isKnown && (typeof body === 'string' || Buffer.isBuffer(body)))) {
    reply.send(content)
    return
  }
  if (typeof body === 'object' && 'destroy' in body) (body as Readable).destroy()
  reply.send()
}

async function sendResult(
  operation: Operation,
  { result, page }: Awaited<ReturnType<typeof run>>,
  answer: Answer,
  context: { request: FastifyRequest; reply: FastifyReply; externalUrl: string; results: readonly ResultSchema[] },
): Promise<void> {
  const { request, reply, externalUrl, results } = context
  const schema = operation.result[1]
  if ('nothing' in schema || answer.status === 204 || answer.status === 304) {
    reply
      .headers({ 'Cache-Control': 'no-cache', ...answer.headers })
      .code(answer.status)
      .send()
    return
  }
  const bytes = bytesOf(schema, result)
  if (bytes) return sendBytes(bytes, answer, request, reply)
  if ('pageOf' in schema) {
    const { items, ...rest } = result as Page<unknown>
    Object.assign(answer.headers, pageHeaders({ items, ...rest }, page, externalUrl, request.url))
    sendJson(serialiserOf(schema, results)(items), answer, request, reply)
    return
  }
  sendJson(serialiserOf(schema, results)(result), answer, request, reply)
}

/** The API: finds the operation of a request and takes it through the steps of contract 00, "Order of checks". */
export function createApi(options: ApiOptions): Service {
  const router = buildRouter(options.operations)
  const results = options.operations.map(({ result }) => result[1])

  /** Step 1. A token in the body is not looked for: nothing of a request is read before it is let in. */
  async function throttle(request: FastifyRequest, reply: FastifyReply, query: () => RawParameters): Promise<void> {
    const identify = async () => {
      const info = requestInfo(request, reply, {}, query(), query())
      return await authenticate(info, options.authenticator, false)
    }
    const standing = await options.throttle(() => identify().catch(() => undefined), request.ip)
    if (!standing) return
    if (isExceeded(standing)) throw throttled(standing, await options.throttleText())
    reply.headers(throttleHeaders(standing))
  }

  /** Steps 4 and 5. */
  async function actorOf(operation: Operation, info: RequestInfo): Promise<Actor> {
    if (operation.ownAuthentication) return anonymous
    const caller = await authenticate(info, options.authenticator, operation.jobToken === true)
    return applySudo(info, caller, options.authenticator)
  }

  async function answer(
    operation: Operation,
    path: Record<string, string>,
    query: RawParameters,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const body = await readBody(request.raw, options.bodyLimits).catch((error) => {
      const isMalformed = error instanceof ApiError && error.code === 'malformed_body'
      throw isMalformed && operation.malformedBody ? malformedBody(operation.malformedBody) : error
    })
    try {
      const raw = Object.assign(emptyParameters(), query, body.parameters, path)
      const info = requestInfo(request, reply, path, raw, query)
      const actor = await actorOf(operation, info)
      if (actor.kind === 'user') request.userId = actor.userId
      requireScope(actor, operation.scopes)
      const prepared: Answer = { status: operation.result[0], headers: {} }
      if (operation.deprecated) prepared.headers.Deprecation = 'true'
      const outcome = await run(options.platform, operation, info, actor, prepared)
      await sendResult(operation, outcome, prepared, { request, reply, externalUrl: options.externalUrl, results })
    } finally {
      await body.dispose?.()
    }
  }

  return {
    async handle(request, reply) {
      const [path = '', search = ''] = splitOnce(request.url)
      const isApi = path.startsWith('/api/')
      // What cannot be read is told in its turn: after the throttle.
      const found = attempt(() => router.find(request.method === 'OPTIONS' ? 'GET' : request.method, path))
      if (isApi) reply.headers(corsHeaders)
      else if (found() === undefined) return false
      if (request.method === 'OPTIONS') {
        const asked = header(request, 'access-control-request-headers')
        reply
          .headers(isApi ? preflightHeaders(asked) : {})
          .code(200)
          .send()
        return true
      }
      const query = attempt(() => parseNestedParameters(search))
      await throttle(request, reply, query)
      const match = found()
      if (!match) throw routeNotFound()
      if (match.operation === undefined) throw methodNotAllowed(match.allowed)
      request.operationId = match.operation.id
      checkNumericRoute(match.operation, match.params)
      if (lineBytes(request) > maximumLineBytes) throw uriTooLong()
      await answer(match.operation, match.params, query(), request, reply)
      return true
    },
  }
}

function lineBytes(request: FastifyRequest): number {
  return `${request.method} ${request.url} HTTP/1.1`.length
}

/** Does something now whose failure is thrown only to who asks for its outcome. */
function attempt<T>(call: () => T): () => T {
  try {
    const value = call()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

function splitOnce(url: string): [string, string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}
