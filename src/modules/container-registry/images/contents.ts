import type { Reader } from '../../../infra/database/index.ts'
import { isObject, type JsonObject } from '../../../infra/json/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { parseDigest } from '../blobs/digest.ts'
import { readConfig } from '../manifests/config.ts'
import { payloadOf, sizesByDigest } from '../manifests/store/manifests.ts'
import type { TagDetail } from '../tags/store.ts'
import type { ImageContents } from './present.ts'

/** The most platforms, and the most layers, that are shown (contract 02, "Contents of a tag"). */
const mostShown = 500

/** JSON of a user, of which nothing is certain. */
function objectOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const objectsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isObject).slice(0, mostShown) : [])
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const sizeOf = (value: unknown) => (Number.isSafeInteger(value) ? Number(value) : 0)

/** The platform that a descriptor or a config names. */
function platformOf({ os, architecture, variant }: JsonObject, digest: string, size: number) {
  return { os: textOf(os), architecture: textOf(architecture), variant: textOf(variant), digest, size }
}

async function platformsOfIndex(db: Reader, repositoryId: number, manifests: readonly JsonObject[]) {
  const digests = manifests.flatMap(({ digest }) => textOf(digest) ?? [])
  const sizes = await sizesByDigest(db, repositoryId, digests)
  return manifests.map(({ digest, platform }) => {
    const text = textOf(digest) ?? ''
    return platformOf(isObject(platform) ? platform : {}, text, sizes.get(text) ?? 0)
  })
}

/** What the image of a tag is made of, by its manifest and its config (contract 02, "Contents of a tag"). */
export async function contentsOf(platform: Platform, repositoryId: number, tag: TagDetail): Promise<ImageContents> {
  const { read } = platform.database
  const manifest = objectOf((await payloadOf(read, tag.manifest_id)) ?? '')
  const manifests = objectsOf(manifest.manifests)
  if (tag.config_digest === null)
    return { platforms: await platformsOfIndex(read, repositoryId, manifests), layers: [] }
  const digest = parseDigest(tag.config_digest)
  const bytes = digest && (await readConfig(platform, repositoryId, digest))
  const config = bytes ? objectOf(bytes.toString('utf8')) : {}
  return {
    platforms: textOf(config.os) === null ? [] : [platformOf(config, tag.digest, tag.total_size)],
    layers: objectsOf(manifest.layers).map((layer) => ({
      digest: textOf(layer.digest) ?? '',
      media_type: textOf(layer.mediaType) ?? '',
      size: sizeOf(layer.size),
    })),
  }
}
