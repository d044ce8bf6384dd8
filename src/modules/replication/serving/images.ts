import { createPublicKey, type KeyObject } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Platform } from '../../../platform/index.ts'
import { registryTokenGrants } from '../../container-registry/index.ts'
import { partKey } from '../copies/copies.ts'
import { partAt } from '../copies/store.ts'
import type { Configuration, Secondary } from '../secondary/state.ts'
import type { StoredPart } from './local-reads.ts'

const partPath = /^\/v2\/(.+)\/(blobs|manifests)\/(sha(?:256|512):[0-9a-f]+)$/

const keys = new WeakMap<Configuration, KeyObject>()

/** The key of the primary's registry. */
function keyOf(configuration: Configuration): KeyObject | null {
  const { registry_public_key: key } = configuration
  if (key === null) return null
  const opened = keys.get(configuration) ?? createPublicKey({ key, format: 'jwk' })
  keys.set(configuration, opened)
  return opened
}

/** The part of an image that a request names by its digest, if its token permits it and it is stored here; else null. */
export async function imagePart(
  platform: Platform,
  { configuration }: Secondary,
  request: FastifyRequest,
): Promise<StoredPart | null> {
  const [, name = '', kinds, digest = ''] = partPath.exec(request.url.split('?', 1)[0] ?? '') ?? []
  const key = configuration && keyOf(configuration)
  if (!kinds || !key || request.headers.range !== undefined) return null
  if (!(await registryTokenGrants(platform, request.headers.authorization, key, name))) return null
  const part = await partAt(platform.database.read, name, kinds === 'blobs' ? 'blob' : 'manifest', digest)
  return part && { key: partKey(part), digest, mediaType: part.media_type ?? 'application/octet-stream' }
}
