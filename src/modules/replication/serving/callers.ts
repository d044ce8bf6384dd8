import type { FastifyRequest } from 'fastify'
import type { Platform } from '../../../platform/index.ts'
import type { RegistryToken } from '../../container-registry/index.ts'
import { hashed } from '../memory/confirmations.ts'

const credentialHeaders = ['authorization', 'private-token', 'deploy-token', 'job-token'] as const
const credentialParameters = ['private_token', 'access_token', 'job_token'] as const

/** The headers of a request that carry credentials, as the client sent them. */
export function credentialsOf({ headers }: FastifyRequest): Record<string, string> {
  const sent = credentialHeaders.map((name) => [name, headers[name]] as const)
  return Object.fromEntries(sent.filter(([, value]) => typeof value === 'string')) as Record<string, string>
}

const inQuery = ({ url }: FastifyRequest) => {
  const query = new URLSearchParams(url.split('?', 2)[1] ?? '')
  return credentialParameters.flatMap((name) => query.getAll(name).map((value) => [name, value] as const))
}

/** Callers without credentials. */
export const anonymousCaller = (platform: Platform) => hashed(platform, [{}, []])

/** Who sends a request, by the credentials that it carries. */
export const callerOf = (platform: Platform, request: FastifyRequest) =>
  hashed(platform, [credentialsOf(request), inQuery(request)])

/** For whom a token of the registry was issued; null for a job, whose rights end with it. */
export function holderOf(platform: Platform, { credential }: Pick<RegistryToken, 'credential'>): string | null {
  if (credential === null) return anonymousHolder(platform)
  const { kind, id, user, mark } = credential
  return kind === 'job' ? null : hashed(platform, ['holder', kind, id, user, mark])
}

/** The holder of tokens that were issued without credentials. */
export const anonymousHolder = (platform: Platform) => hashed(platform, ['holder', null])
