import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, anonymous } from '../operation/actor.ts'
import { ApiError, methodNotAllowed, routeNotFound, uriTooLong } from '../operation/errors.ts'
import type { Operation, OwnThrottle } from '../operation/operation.ts'
import {
  emptyParameters,
  parseNestedParameters,
  type RawParameters,
} from '../operation/parameters/nested-parameters.ts'
import { isPathNumber, type PathNumber } from '../operation/parameters/params.ts'
import { header, type RequestInfo } from '../operation/request.ts'
import type { ResultSchema } from '../operation/results.ts'
import { holdsFile } from '../operation/schema.ts'
import { requireScope } from '../operation/scopes.ts'
import { type Authenticator, applySudo, authenticate, authenticateReader, presentedToken } from './authentication.ts'
import { type BodyLimits, hasBody, isMultipart, type Reading, readBody, readBytes, requireSize } from './body/body.ts'
import { type BodyShares, bodyShares } from './body/body-shares.ts'
import { limitsOf } from './body/limits.ts'
import { readBytesOf } from './body/streamed-body.ts'
import { isExceeded, type ThrottleState, throttled, throttleHeaders } from './rate-limit.ts'
import { ReceivedRequest } from './request-info.ts'
import { type Answer, sendResult } from './responses/answers.ts'
import { buildRouter, type Found, type Router } from './router.ts'
import { authorised, runOperation } from './run.ts'
import { corsHeaders, preflightHeaders } from './server/headers.ts'
import { hasLargeBody } from './server/lingering.ts'
import type { Service } from './server/server.ts'

type ApiOptions = {
  /** Passed to operations and subjects. */
  platform?: unknown
  operations: readonly Operation[]
  externalUrl: string
  authenticator: Authenticator
  /**
   * Counts the request against the throttle that applies; undefined when none is on. Calls `identify` only when a
   * throttle depends on the user.
   */
  throttle(
    identify: () => Promise<Actor | undefined>,
    ip: string,
    own?: OwnThrottle,
  ): Promise<ThrottleState | undefined>
  throttleText(): Promise<string | null>
  bodyLimits: BodyLimits
}

const maximumLineBytes = 16 * 1024

/** Step 2: 404 when a numeric path parameter is not a number and the operation declares that as another route. */
function checkNumericRoute(operation: Operation, path: Record<string, string>): void {
  for (const [name, text] of Object.entries(path)) {
    const { otherwise } = (operation.params?.[name] ?? {}) as Partial<PathNumber>
    if (otherwise === 'route' && !isPathNumber(text)) throw routeNotFound()
  }
}

/** The API, with what all of its requests share. */
type Api = ApiOptions & {
  router: Router
  results: readonly ResultSchema[]
  shares: BodyShares
}

/** Creates the API: finds the operation of a request and runs the steps of contract 00, "Order of checks". */
export function createApi(options: ApiOptions): Service {
  const api: Api = {
    ...options,
    router: buildRouter(options.operations),
    results: options.operations.map(({ result }) => result[1]),
    shares: bodyShares(options.bodyLimits.clock),
  }
  return { handle: (request, reply) => handle(api, request, reply) }
}

async function handle(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const { url, method } = request
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const isApi = path.startsWith('/api/')
  // Errors of the address and the query are thrown after the throttle.
  const meant = method === 'OPTIONS' ? (header(request, 'access-control-request-method') ?? 'GET') : method
  const found = attempt(() => api.router.find(meant, path))
  if (!isApi && outcomeOf(found) === undefined) return false
  const isOpen = isApi || outcomeOf(found)?.operation?.anyOrigin === true
  if (isOpen) reply.headers(corsHeaders)
  if (method === 'OPTIONS') {
    const requested = header(request, 'access-control-request-headers')
    reply
      .headers(isOpen ? preflightHeaders(requested) : {})
      .code(200)
      .send()
    return true
  }
  const query = attempt(() => parseNestedParameters(mark < 0 ? '' : url.slice(mark + 1)))
  await throttle(api, request, reply, { query, found })
  const match = outcomeOf(found)
  if (!match) throw routeNotFound()
  if (match.operation === undefined) throw methodNotAllowed(match.allowed)
  if (match.operation.isAbsent) throw routeNotFound()
  request.operationId = match.operation.id
  checkNumericRoute(match.operation, match.params)
  if (lineBytes(request) > maximumLineBytes) throw uriTooLong()
  await readAndAnswer(api, match, outcomeOf(query), request, reply)
  return true
}

/** Step 1. Looks for a token in the header and the query only: the body is read after this step. */
async function throttle(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, found }: { query: Attempt<RawParameters>; found: Attempt<ReturnType<Router['find']>> },
): Promise<void> {
  const infoOf = () => {
    const parameters = outcomeOf(query)
    return new ReceivedRequest(request, reply, {}, parameters, parameters)
  }
  const operation = 'value' in found ? found.value?.operation : undefined
  const identify = async () => authenticate(infoOf(), api.authenticator, { basic: operation?.basic })
  const declared = operation?.throttle
  const own = declared && {
    name: declared.name,
    caller: declared.caller && (async () => declared.caller?.(api.platform, infoOf()).catch(() => null) ?? null),
  }
  const state = await api.throttle(() => identify().catch(() => undefined), request.ip, own)
  if (!state) return
  if (isExceeded(state)) throw throttled(state, await api.throttleText())
  reply.headers(throttleHeaders(state))
}

/** Step 3, then `answer`; files of the body are removed after it. */
async function readAndAnswer(
  api: Api,
  { operation, params: path }: Found,
  query: RawParameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { raw: message } = request
  const infoOf = (body: RawParameters) =>
    new ReceivedRequest(request, reply, path, Object.assign(emptyParameters(), query, body, path), query)
  if (operation.stream !== undefined) {
    return readBytesOf(message, api.bodyLimits.clock, (bytes) => {
      const info = infoOf({})
      info.stream = bytes
      return answer(api, operation, info, request, reply)
    })
  }
  if (!hasBody(message)) return answer(api, operation, infoOf({}), request, reply)
  const limits = await limitsOf(api, operation, path)
  requireSize(message, limits)
  const isHeld = isMultipart(message) || hasLargeBody(message)
  const reading = isHeld ? await beginReading(api, operation, infoOf) : {}
  const takesFile = (name: string) => holdsFile(operation.params?.[name.split('[', 1)[0] ?? '']?.schema)
  let body: Awaited<ReturnType<typeof readBody>> | undefined
  try {
    body = await (operation.bytes ? readBytes : readBody)(message, limits, {
      ...reading,
      takesFile,
      listBody: operation.listBody,
    })
    const info = infoOf(body.parameters)
    info.bytes = body.bytes
    await answer(api, operation, info, request, reply)
  } catch (error) {
    const isMalformed = error instanceof ApiError && error.code === 'malformed_body'
    throw isMalformed && !body && operation.malformedBody ? operation.malformedBody() : error
  } finally {
    reading.share?.close()
    await body?.dispose?.()
  }
}

/**
 * Admits the sender of a large or multipart body: before it is read when the credentials are in the headers or the query,
 * else before the first file, since the fields of a form may have them. What unknown senders send is limited.
 */
async function beginReading(
  api: Api,
  operation: Operation,
  info: (fields: RawParameters) => RequestInfo,
): Promise<Reading> {
  const { shares } = api
  const known = info(emptyParameters())
  if (presentedToken(known, operation) || operation.bytes) {
    return (await admit(api, operation, known)) ? {} : { share: shares.open(known.ip) }
  }
  const share = shares.open(known.ip)
  return { share, admit: async (fields) => void ((await admit(api, operation, info(fields))) && share.close()) }
}

/**
 * Steps 4 to 11 before a body is read, by what is known then. They are repeated afterwards, when more may be known or the
 * rights may have ended. @returns whether the sender is known
 */
async function admit(api: Api, operation: Operation, info: RequestInfo): Promise<boolean> {
  const actor = await actorOf(api, operation, info)
  requireScopeOf(operation, actor)
  await authorised(api.platform, operation, info, actor)
  return actor.kind === 'user' || operation.subject.identifiesCaller === true
}

/** Steps 4 to 17, once the parameters of the request are known. */
async function answer(
  api: Api,
  operation: Operation,
  info: RequestInfo,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { platform, externalUrl, results } = api
  const actor = await actorOf(api, operation, info)
  if (actor.kind === 'user') request.userId = actor.userId
  requireScopeOf(operation, actor)
  const prepared: Answer = { status: operation.result[0], headers: {} }
  if (operation.deprecated) prepared.headers.Deprecation = 'true'
  const outcome = await runOperation(platform, operation, info, actor, prepared)
  await sendResult(operation, outcome, prepared, { request, reply, externalUrl, results })
}

/** Step 6. */
function requireScopeOf(operation: Operation, actor: Actor): void {
  try {
    requireScope(actor, operation.scopes)
  } catch (error) {
    throw operation.refusedCredentials?.() ?? error
  }
}

/** Steps 4 and 5. */
async function actorOf({ authenticator, platform }: Api, operation: Operation, info: RequestInfo): Promise<Actor> {
  if (operation.ownAuthentication) return anonymous
  const identify = operation.takesSession ? authenticateReader : authenticate
  const caller = await identify(info, authenticator, operation).catch(async (error) => {
    const text = presentedToken(info, operation)?.text
    if (error instanceof ApiError && text !== undefined) await operation.refusedToken?.(platform, text)
    const isRefused = error instanceof ApiError && error.status === 401
    throw (isRefused && operation.refusedCredentials?.()) || error
  })
  return applySudo(info, caller, authenticator)
}

function lineBytes({ method, url }: FastifyRequest): number {
  return method.length + url.length + ' '.length + ' HTTP/1.1'.length
}

/** The value of a call, or the error that it threw. */
type Attempt<T> = { value: T } | { error: unknown }

function attempt<T>(call: () => T): Attempt<T> {
  try {
    return { value: call() }
  } catch (error) {
    return { error }
  }
}

function outcomeOf<T>(tried: Attempt<T>): T {
  if ('error' in tried) throw tried.error
  return tried.value
}
