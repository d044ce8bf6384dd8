import type { Stored } from '../../../platform/index.ts'
import { blobKey, parseDigest } from './digest.ts'
import { blobsAfter } from './store.ts'

const batchSize = 500

/** Finds blobs whose content is missing or has another size. */
export async function* blobProblems({ database, objects }: Stored): AsyncGenerator<string> {
  let rows = await blobsAfter(database.read, 0, batchSize)
  for (; rows.length > 0; rows = await blobsAfter(database.read, rows.at(-1)?.id ?? 0, batchSize)) {
    for (const { digest: text, size_bytes: sizeBytes } of rows) {
      const digest = parseDigest(text)
      const stored = digest && (await objects.head(blobKey(digest)))?.sizeBytes
      if (typeof stored !== 'number') yield `container image blob ${text} is missing`
      else if (stored !== sizeBytes) yield `container image blob ${text} has ${stored} bytes instead of ${sizeBytes}`
    }
  }
}
