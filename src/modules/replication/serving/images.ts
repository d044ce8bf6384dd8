import { createPublicKey, type KeyObject } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Platform } from '../../../platform/index.ts'
import { foreignRegistryToken, permitsPull, type RegistryToken } from '../../container-registry/index.ts'
import { partKey } from '../copies/copies.ts'
import { partOf } from '../copies/store.ts'
import { confirm, forget, hashed, type Read } from '../memory/confirmations.ts'
import type { Configuration, Secondary } from '../secondary/state.ts'
import * as store from '../secondary/store.ts'
import type { ReplicaRow } from '../tables.ts'
import { authorizeRead } from './authorizing.ts'
import { holderOf } from './callers.ts'
import type { StoredPart } from './local-reads.ts'

const partPath = /^\/v2\/(.+)\/(blobs|manifests)\/([^/]+)$/
const digestForm = /^sha(?:256|512):[0-9a-f]+$/

/** What a request names in the registry: a blob or manifest by digest, or a manifest by tag. */
type NamedPart = { name: string; kind: 'blob' | 'manifest'; reference: string; isDigest: boolean }

/** What the path of a request names; null when it is no part of an image. */
export function namedPart({ url }: Pick<FastifyRequest, 'url'>): NamedPart | null {
  const [, name = '', kinds, reference = ''] = partPath.exec(url.split('?', 1)[0] ?? '') ?? []
  if (kinds === undefined) return null
  const isDigest = digestForm.test(reference)
  return { name, kind: kinds === 'blobs' ? 'blob' : 'manifest', reference, isDigest }
}

const keys = new WeakMap<Configuration, KeyObject>()

/** The key of the primary's registry; null while it is not known. */
export function registryKeyOf(configuration: Configuration | null): KeyObject | null {
  const key = configuration?.registry_public_key ?? null
  if (!configuration || key === null) return null
  const opened = keys.get(configuration) ?? createPublicKey({ key, format: 'jwk' })
  keys.set(configuration, opened)
  return opened
}

/** A part that is stored here; null when it is not. */
export async function storedPart(
  { database }: Pick<Platform, 'database'>,
  replica: ReplicaRow,
  { kind, reference, isDigest }: NamedPart,
): Promise<StoredPart | null> {
  const tag = isDigest ? null : await partOf(database.read, replica.id, 'tag', reference)
  const digest = isDigest ? reference : tag?.digest
  const part = digest === undefined ? null : await partOf(database.read, replica.id, kind, digest)
  return part && { key: partKey(part), digest: part.digest, mediaType: part.media_type ?? 'application/octet-stream' }
}

/** A pull by the holder of a token, as it is remembered; null for tokens of jobs. */
export function pullOf(platform: Platform, token: Pick<RegistryToken, 'credential'>, name: string): Read | null {
  const caller = holderOf(platform, token)
  return caller === null ? null : { caller, action: 'registry_read', resource: hashed(platform, name) }
}

/**
 * The part of an image that a request names by its digest, if the primary lets its token read it now, and it is stored here;
 * null when the primary has to answer.
 * @throws PrimaryUnreachable, PrimaryRefusal
 */
export async function imagePart(
  platform: Platform,
  secondary: Secondary,
  request: FastifyRequest,
): Promise<StoredPart | null> {
  const named = namedPart(request)
  const key = registryKeyOf(secondary.configuration)
  if (!named?.isDigest || !key || request.headers.range !== undefined) return null
  const token = await foreignRegistryToken(platform, request.headers.authorization, key)
  if (!token || !permitsPull(token, named.name)) return null
  const { allowed, status, id } = await authorizeRead(platform, secondary, request, 'registry_read')
  const read = pullOf(platform, token, named.name)
  if (read && allowed && id !== null) await confirm(platform, read, { type: 'container_repositories', id })
  if (read && [401, 404].includes(status)) await forget(platform, read)
  const replica =
    allowed && id !== null ? await store.replicaOf(platform.database.read, 'container_repositories', id) : null
  return replica?.state === 'synced' ? storedPart(platform, replica, named) : null
}
