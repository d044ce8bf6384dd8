import { portions } from '../../../infra/database/index.ts'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import type { Stored } from '../../../platform/index.ts'
import { objectsAfter } from './store.ts'

const batchSize = 500

/** Finds objects whose bytes are missing or have another size. */
export async function* lfsProblems({ database, objects }: Stored): AsyncGenerator<string> {
  for await (const rows of portions((afterId) => objectsAfter(database.read, afterId, batchSize))) {
    for (const { oid, storage_key: key, size_bytes: sizeBytes } of rows) {
      const stored = (await objects.head(parseStorageKey(key)))?.sizeBytes
      if (stored === undefined) yield `LFS object ${oid} is missing`
      else if (stored !== sizeBytes) yield `LFS object ${oid} has ${stored} bytes instead of ${sizeBytes}`
    }
  }
}
