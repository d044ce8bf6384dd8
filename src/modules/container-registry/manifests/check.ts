import type { Stored } from '../../../platform/index.ts'
import { parseDigest } from '../blobs/digest.ts'
import { digestOf } from './reference.ts'
import { manifestsAfter, payloadOf, type StoredManifest } from './store/manifests.ts'
import { presentDigests } from './store/references.ts'
import { parseManifest } from './validate.ts'

const batchSize = 500

/** Digests that the manifest needs in its repository; foreign layers and the subject may be absent. */
function neededDigests(payload: string, mediaType: string): string[] {
  const { config, layers, children } = parseManifest(payload, mediaType)
  const needed = [...(config ? [config] : []), ...layers.filter(({ isForeign }) => !isForeign), ...children]
  return [...new Set(needed.map(({ digest }) => digest))]
}

async function problemOf({ database }: Stored, manifest: StoredManifest): Promise<string | null> {
  const payload = await payloadOf(database.read, manifest.id)
  if (payload === null) return 'has no content'
  const bytes = Buffer.from(payload)
  const digest = parseDigest(manifest.digest)
  const found = digestOf(bytes, manifest.digest.startsWith('sha512:') ? 'sha512' : 'sha256')
  if (digest !== found || bytes.length !== manifest.size_bytes) return 'has other content than its digest says'
  const needed = neededDigests(payload, manifest.media_type)
  const present = await presentDigests(database.read, manifest.repository_id, needed)
  const missing = needed.filter((each) => !present.has(each))
  return missing.length === 0 ? null : `needs ${missing.join(', ')}`
}

/**
 * Finds manifests whose content does not have their digest, or that need what their repository does not have. That tags and
 * indexes refer to manifests is checked with the constraints of the database.
 */
export async function* manifestProblems(stored: Stored): AsyncGenerator<string> {
  const { read } = stored.database
  let rows = await manifestsAfter(read, 0, batchSize)
  for (; rows.length > 0; rows = await manifestsAfter(read, rows.at(-1)?.id ?? 0, batchSize)) {
    for (const manifest of rows) {
      const problem = await problemOf(stored, manifest)
      if (problem === null) continue
      yield `manifest ${manifest.digest} of container repository ${manifest.repository_id} ${problem}`
    }
  }
}
