import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, answerToOutage, type Service, throttleHeaders } from '../../../api/index.ts'
import { maintenanceSentence, type Platform, throttleRegistry } from '../../../platform/index.ts'
import { isReading, placeOf } from '../repositories/find.ts'
import { isRepositoryName } from '../repositories/names.ts'
import { type CurrentToken, currentToken } from '../tokens/current.ts'
import { type VerifiedToken, verifyRegistryToken } from '../tokens/verify.ts'
import { acceptedToken, catalogAccess, challenge, grants, onRepository, type Wanted } from './challenge.ts'
import type { RegistryEndpoint, RepositoryEndpoint } from './endpoint.ts'
import { registryEndpoints, repositoryEndpoints } from './endpoints.ts'
import { type RegistryPath, registryPaths } from './paths.ts'
import { RegistryProblem, registryProblem } from './problems.ts'

const findPath = registryPaths(registryEndpoints, repositoryEndpoints)

const commonHeaders = { 'Docker-Distribution-Api-Version': 'registry/2.0', 'X-Content-Type-Options': 'nosniff' }

/** How long clients should wait when the database or the object store is not available. */
const retryAfterSeconds = 5

type Sent = { request: FastifyRequest; reply: FastifyReply }

/** HEAD is answered like GET where it has no endpoint of its own. */
function endpointOf<Endpoint>(endpoints: ReadonlyMap<string, Endpoint>, { method }: FastifyRequest): Endpoint {
  const found = endpoints.get(method) ?? (method === 'HEAD' ? endpoints.get('GET') : undefined)
  if (found) return found
  const methods = [...endpoints.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name))
  throw registryProblem('UNSUPPORTED', { headers: { Allow: [...new Set(methods)].join(', ') } })
}

/** Verifies the token of a request, and counts the request against the throttles. @throws ApiError 429 */
async function identify(platform: Platform, { request, reply }: Sent): Promise<VerifiedToken> {
  const verified = await verifyRegistryToken(platform, request.headers.authorization)
  const subject = verified.kind === 'valid' ? verified.token.subject : null
  const state = await throttleRegistry(platform, subject, request.ip)
  if (state) reply.headers(throttleHeaders(state))
  return verified
}

const queryOf = ({ url }: FastifyRequest) => {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
}

/**
 * The token of a request, with what of its rights has not ended since it was issued.
 * @throws RegistryProblem 401
 */
async function requireToken(
  platform: Platform,
  { request }: Sent,
  verified: VerifiedToken,
  wanted: readonly Wanted[],
): Promise<CurrentToken> {
  const accepted = acceptedToken(platform, verified, wanted)
  const names = wanted.flatMap(({ type, name }) => (type === 'repository' ? name : []))
  const current = await currentToken(platform, accepted, names, { changes: !isReading(request.method) })
  if (!current) throw challenge(platform, { kind: 'invalid' }, wanted)
  const { actor } = current.caller
  if (actor.kind === 'user') request.userId = actor.userId
  return current
}

async function serveRegistry(platform: Platform, sent: Sent, endpoint: RegistryEndpoint): Promise<void> {
  const wanted: Wanted[] = endpoint.catalog ? [catalogAccess] : []
  const verified = await identify(platform, sent)
  const { token, caller } = await requireToken(platform, sent, verified, wanted)
  if (!wanted.every((one) => grants(token, one))) throw challenge(platform, verified, wanted)
  await endpoint.run(platform, { ...sent, query: queryOf(sent.request), token, caller })
}

async function serveRepository(
  platform: Platform,
  sent: Sent,
  endpoint: RepositoryEndpoint,
  { name, reference }: { name: string; reference: string },
): Promise<void> {
  const query = queryOf(sent.request)
  const { anyOf, asks, source } = endpoint.access
  const from = source?.(query) ?? null
  const wanted = [onRepository(name, asks), ...(from === null ? [] : [onRepository(from, ['pull'])])]
  const verified = await identify(platform, sent)
  const { token, caller, served } = await requireToken(platform, sent, verified, wanted)
  if (!anyOf.some((actions) => grants(token, onRepository(name, actions)))) throw challenge(platform, verified, wanted)
  const place = await placeOf(platform.database.read, name, served.get(name), sent.request.method)
  await endpoint.run(platform, { ...sent, query, token, caller, name, reference, place })
}

/** @throws RegistryProblem 503 for a request that changes something in maintenance */
async function requireChangeable(platform: Platform, { method }: FastifyRequest): Promise<void> {
  const sentence = isReading(method) ? null : await maintenanceSentence(platform)
  if (sentence !== null) throw registryProblem('UNAVAILABLE', { message: sentence })
}

/** Answers in the order of contract 02 R6: route and name, token, state of the project, parameters and body. */
async function serve(platform: Platform, sent: Sent, path: RegistryPath): Promise<void> {
  const { request } = sent
  if (path.kind === 'registry') {
    const endpoint = endpointOf(path.endpoints, request)
    request.operationId = endpoint.id
    return serveRegistry(platform, sent, endpoint)
  }
  const endpoint = endpointOf(path.endpoints, request)
  request.operationId = endpoint.id
  await requireChangeable(platform, request)
  if (!isRepositoryName(path.name)) throw registryProblem('NAME_INVALID', { detail: { name: path.name } })
  return serveRepository(platform, sent, endpoint, path)
}

/** The error as the distribution API answers it; undefined for a defect. */
function problemOf(error: unknown): RegistryProblem | undefined {
  if (error instanceof RegistryProblem) return error
  const outage = answerToOutage(error)
  if (outage?.status === 507) return registryProblem('UNAVAILABLE', { status: 507, message: 'insufficient storage' })
  if (outage) return registryProblem('UNAVAILABLE', { headers: { 'Retry-After': `${retryAfterSeconds}` } })
  if (!(error instanceof ApiError)) return undefined
  const { status, headers } = error
  if (status === 429) return registryProblem('TOOMANYREQUESTS', { headers })
  if (status === 503) return registryProblem('UNAVAILABLE', { headers })
  return registryProblem('UNKNOWN', { status, message: error.message, headers })
}

/** Answers with an error body of contract 02 R6. */
export function refuse({ request, reply }: Sent, error: unknown): void {
  // A request that the client has broken off has no answer.
  if (request.raw.destroyed && !request.raw.complete) throw error
  const problem = problemOf(error)
  if (problem && problem.status >= 500) request.log.warn({ err: error }, 'request failed')
  if (!problem) request.log.error({ err: error, operation: request.operationId }, 'request failed')
  if (reply.sent || reply.raw.headersSent) return void reply.raw.destroy()
  const { status, body, headers } = problem ?? registryProblem('UNKNOWN')
  reply.headers(headers).code(status)
  if (request.method === 'HEAD') return void reply.send()
  reply.header('Content-Type', 'application/json').send(Buffer.from(JSON.stringify(body)))
}

const isRegistryPath = (path: string) => path === '/v2' || path.startsWith('/v2/')

/** The OCI distribution API below `/v2/` (contract 02). */
export function registryHttp(platform: Platform): Service {
  return {
    async handle(request, reply) {
      const path = request.url.split('?', 1)[0] ?? ''
      if (!isRegistryPath(path)) return false
      const sent = { request, reply }
      reply.headers(commonHeaders)
      const found = platform.config.registryEnabled ? findPath(path) : null
      if (!found) reply.code(404).send()
      else await serve(platform, sent, found).catch((error) => refuse(sent, error))
      return true
    },
  }
}
