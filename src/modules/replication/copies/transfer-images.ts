import type { Platform } from '../../../platform/index.ts'
import { expectedDigest, parseDigest } from '../../container-registry/index.ts'
import type { PrimaryClient } from '../secondary/client.ts'
import type { ReplicaPartRow, ReplicaRow } from '../tables.ts'
import { partKey, removeUnusedParts } from './copies.ts'
import { partsOf, replaceParts } from './store.ts'
import { download } from './transfer-file.ts'

type Work = { client: PrimaryClient; signal: AbortSignal }

/** The contents of a container repository (x.geo_int.retrieve). */
type Contents = {
  name: string
  tags: { name: string; digest: string }[]
  manifests: { digest: string; media_type: string; size: number }[]
  blobs: { digest: string; size: number }[]
}

type Part = Omit<ReplicaPartRow, 'replica_id'>

function partsIn({ tags, manifests, blobs }: Contents): Part[] {
  const none = { media_type: null, size_bytes: 0 }
  return [
    ...blobs.map(({ digest, size }) => ({ kind: 'blob' as const, name: digest, digest, ...none, size_bytes: size })),
    ...manifests.map(({ digest, media_type, size }) => ({
      kind: 'manifest' as const,
      name: digest,
      digest,
      media_type,
      size_bytes: size,
    })),
    ...tags.map(({ name, digest }) => ({ kind: 'tag' as const, name, digest, ...none })),
  ]
}

async function fetchPart(platform: Platform, replica: ReplicaRow, part: Part, work: Work): Promise<void> {
  const key = partKey(part)
  const digest = parseDigest(part.digest)
  if (!digest || (await platform.objects.head(key))?.sizeBytes === part.size_bytes) return
  const path = `/geo/retrieve/container_repositories/${replica.replicable_id}/${part.kind}s/${part.digest}`
  await download(platform, key, path, work, expectedDigest(digest))
}

/**
 * Copies a container repository: missing blobs, then manifests, and the tags last, in one transaction.
 * @returns its path
 */
export async function transferImages(platform: Platform, replica: ReplicaRow, work: Work): Promise<string> {
  const { client, signal } = work
  const path = `/geo/retrieve/container_repositories/${replica.replicable_id}`
  const contents = await client.get<Contents>(path, { signal })
  const parts = partsIn(contents)
  for (const part of parts) if (part.kind !== 'tag') await fetchPart(platform, replica, part, work)
  const before = await partsOf(platform.database.read, replica.id)
  await platform.database.write((tx) => replaceParts(tx, replica.id, parts))
  await removeUnusedParts(platform, before)
  return contents.name
}
