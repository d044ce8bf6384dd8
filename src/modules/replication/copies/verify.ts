import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ContentMissing, checksumOfObject, checksumOfTags } from '../replicables/checksum.ts'
import type { ReplicaPartRow, ReplicaRow } from '../tables.ts'
import { classOf } from '../types.ts'
import { partKey, repositoryOf } from './copies.ts'
import { partsOf } from './store.ts'

/** The checksum of a copy that lacks a part, or has a damaged one: that of no item of the primary. */
const damaged = 'damaged'

async function isIntact({ objects }: Platform, part: ReplicaPartRow, signal: AbortSignal): Promise<boolean> {
  const opened = await objects.get(partKey(part))
  if (!opened) return false
  const [algorithm = '', hex] = part.digest.split(':', 2)
  const hash = createHash(algorithm)
  await pipeline(opened.stream, hash, { signal })
  return hash.digest('hex') === hex
}

/** Hashes every manifest and blob again. A damaged one is deleted, so that the next transfer fetches it. */
async function checksumOfImages(platform: Platform, replica: ReplicaRow, signal: AbortSignal): Promise<string> {
  const parts = await partsOf(platform.database.read, replica.id)
  let isWhole = true
  for (const part of parts) {
    if (part.kind === 'tag' || (await isIntact(platform, part, signal))) continue
    isWhole = false
    await platform.objects.delete(partKey(part))
  }
  async function* tags() {
    for (const { kind, name, digest } of parts) if (kind === 'tag') yield { name, digest }
  }
  return isWhole ? checksumOfTags(tags()) : damaged
}

/** Computes the checksum of a copy as it is now; that of a missing copy equals no other. @throws GitError */
export async function checksumOfCopy(platform: Platform, replica: ReplicaRow, signal: AbortSignal): Promise<string> {
  const kind = classOf(replica.type)
  const { location } = replica
  if (location === null) return damaged
  if (kind === 'container_repositories') return checksumOfImages(platform, replica, signal)
  if (kind === 'repositories') {
    const repository = repositoryOf(platform, location)
    return (await repository.exists()) ? repository.refsChecksum({ signal }) : damaged
  }
  return checksumOfObject(platform.objects, parseStorageKey(location), signal).catch((error) => {
    if (error instanceof ContentMissing) return damaged
    throw error
  })
}
