import { portions } from '../../../infra/database/index.ts'
import type { Stored } from '../../../platform/index.ts'
import { keyOf, ownerOf } from '../owner.ts'
import { uploadsAfter } from './store.ts'

const batchSize = 500

/** Finds uploads whose bytes are missing or have another size. */
export async function* uploadProblems({ database, objects }: Stored): AsyncGenerator<string> {
  for await (const rows of portions((afterId) => uploadsAfter(database.read, afterId, batchSize))) {
    for (const row of rows) {
      const stored = (await objects.head(keyOf(ownerOf(row), row.secret)))?.sizeBytes
      if (stored === undefined) yield `upload ${row.id}: its file is missing`
      else if (stored !== row.size_bytes)
        yield `upload ${row.id}: its file has ${stored} bytes instead of ${row.size_bytes}`
    }
  }
}
