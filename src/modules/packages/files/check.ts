import { parseStorageKey } from '../../../infra/objects/index.ts'
import type { Stored } from '../../../platform/index.ts'
import { blobPortions } from './store.ts'

const batchSize = 500

/** Finds files of packages whose bytes are missing or have another size. */
export async function* packageFileProblems({ database, objects }: Stored): AsyncGenerator<string> {
  for await (const rows of blobPortions(database.read, {}, batchSize)) {
    for (const { sha256, storage_key: key, size_bytes: sizeBytes } of rows) {
      const stored = (await objects.head(parseStorageKey(key)))?.sizeBytes
      if (stored === undefined) yield `package file ${sha256} is missing`
      else if (stored !== sizeBytes) yield `package file ${sha256} has ${stored} bytes instead of ${sizeBytes}`
    }
  }
}
