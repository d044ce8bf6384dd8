import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Service, throttleHeaders } from '../../../api/index.ts'
import { type Platform, throttleRegistry } from '../../../platform/index.ts'
import { GitAccessDenied } from '../../git-transport/index.ts'
import { registryProblem } from '../http/problems.ts'
import { refuse } from '../http/service.ts'
import { identifyRegistryCaller, type RegistryCaller } from './callers.ts'
import { grantsOf } from './grants.ts'
import { issueRegistryToken } from './issue.ts'
import { readScopes } from './scopes.ts'
import { registryAudience } from './verify.ts'

type Sent = { request: FastifyRequest; reply: FastifyReply }

const servicePath = /^\/jwt\/auth\/?$/

const deniedSentence = (externalUrl: string) =>
  'HTTP Basic: Access denied. If a password was provided for Git authentication, the password was incorrect or ' +
  "you're required to use a token instead of a password. If a token was provided, it was either incorrect, expired, " +
  `or improperly scoped. See ${externalUrl}/docs`

const forbidden = () => registryProblem('DENIED', { message: 'access forbidden' })

/** Counts the request against the throttle of the caller, or of the address. @throws ApiError 429 */
async function count(platform: Platform, { request, reply }: Sent, subject: string | null): Promise<void> {
  const state = await throttleRegistry(platform, subject, request.ip)
  if (state) reply.headers(throttleHeaders(state))
}

/** @throws RegistryProblem 401; ApiError 429, 503 */
async function identify(platform: Platform, sent: Sent): Promise<RegistryCaller> {
  const { request } = sent
  try {
    const caller = await identifyRegistryCaller(platform, request.headers.authorization, request.ip)
    await count(platform, sent, caller.subject)
    if (caller.actor.kind === 'user') request.userId = caller.actor.userId
    return caller
  } catch (error) {
    if (!(error instanceof GitAccessDenied)) throw error
    await count(platform, sent, null)
    throw registryProblem('UNAUTHORIZED', { message: deniedSentence(platform.externalUrl) })
  }
}

function sendNotFound({ reply }: Sent): void {
  reply.code(404).send()
}

/** Answers in the order of the table of contract 1.9. */
async function serve(platform: Platform, sent: Sent, query: URLSearchParams): Promise<void> {
  const caller = await identify(platform, sent)
  if (query.get('service') !== registryAudience) return sendNotFound(sent)
  if (!platform.config.registryEnabled) {
    throw registryProblem('UNAVAILABLE', { status: 404, message: 'registry not enabled' })
  }
  if (caller.carries.size === 0) throw forbidden()
  const { access, asked } = await grantsOf(platform, caller, readScopes(query.getAll('scope')))
  if (caller.subject === null && access.length === 0) throw forbidden()
  const { subject, authType, credential } = caller
  const contents = { subject, authType, credential, access, asked }
  const { token, expiresIn, issuedAt } = await issueRegistryToken(platform, contents)
  const body = { token, expires_in: expiresIn, issued_at: issuedAt }
  sent.reply
    .code(200)
    .header('Content-Type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)))
}

/** Issues the tokens of the container registry at `/jwt/auth` (contract 1.9). */
export function registryTokens(platform: Platform): Service {
  return {
    async handle(request, reply) {
      const { url, method } = request
      const mark = url.indexOf('?')
      if (!servicePath.test(mark < 0 ? url : url.slice(0, mark))) return false
      const sent = { request, reply }
      request.operationId = 'container_registry.token'
      reply.header('Cache-Control', 'no-store')
      if (method !== 'GET' && method !== 'HEAD') sendNotFound(sent)
      else {
        const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
        await serve(platform, sent, query).catch((error) => refuse(sent, error))
      }
      return true
    },
  }
}
