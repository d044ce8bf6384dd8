import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServedRoute } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { RegistryPlace } from '../repositories/find.ts'
import type { RegistryCaller } from '../tokens/callers.ts'
import type { RegistryToken } from '../tokens/verify.ts'

/** What a token can permit on a repository. */
export type RegistryAction = 'pull' | 'push' | 'delete'

/** What an endpoint needs of the token (contract 02 R4). */
export type EndpointAccess = {
  /** One of these sets of actions suffices. */
  anyOf: readonly (readonly RegistryAction[])[]
  /** The actions that the challenge names. */
  asks: readonly RegistryAction[]
  /** The other repository that the request names: the challenge also asks for `pull` on it. */
  source?(query: URLSearchParams): string | null
}

export const pulling: EndpointAccess = { anyOf: [['pull']], asks: ['pull'] }
export const pushing: EndpointAccess = { anyOf: [['pull', 'push']], asks: ['pull', 'push'] }
export const deleting: EndpointAccess = { anyOf: [['delete']], asks: ['delete'] }

/** A request whose token was accepted, and its answer. */
export type Exchange = {
  request: FastifyRequest
  reply: FastifyReply
  query: URLSearchParams
  token: RegistryToken
  caller: RegistryCaller
}

/** A request about a repository whose project exists and accepts it (contract 02 R5). */
export type RepositoryExchange = Exchange & {
  /** The name of the repository in the path: legal, in lower case. */
  name: string
  /** What the last part of the path names: a digest, a reference, an upload. Decoded and not checked; may be empty. */
  reference: string
  place: RegistryPlace
}

type Documented = Omit<ServedRoute, 'tag'>

/**
 * An endpoint of the registry as a whole, `/v2/…` without a repository. With `catalog` the token must grant
 * `registry:catalog:*`; otherwise any accepted token suffices.
 */
export type RegistryEndpoint = Documented & {
  catalog: boolean
  run(platform: Platform, exchange: Exchange): Promise<void>
}

/** An endpoint of a repository. Its path is `/v2/{name}/…`, with at most one more parameter, which is the last part. */
export type RepositoryEndpoint = Documented & {
  access: EndpointAccess
  run(platform: Platform, exchange: RepositoryExchange): Promise<void>
}
