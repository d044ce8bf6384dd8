import type { Database } from '../../infra/database/index.ts'
import { type ObjectStore, parseStorageKey } from '../../infra/objects/index.ts'
import { objectsAfter } from './store.ts'

const portion = 500

/** Every object that a row names is stored, with all its bytes. @returns what is wrong, one sentence each */
export async function lfsProblems(database: Database, objects: ObjectStore): Promise<string[]> {
  const problems: string[] = []
  let rows = await objectsAfter(database.read, 0, portion)
  for (; rows.length > 0; rows = await objectsAfter(database.read, rows.at(-1)?.id ?? 0, portion)) {
    for (const { oid, storage_key: key, size_bytes: sizeBytes } of rows) {
      const found = (await objects.head(parseStorageKey(key)))?.sizeBytes
      if (found === undefined) problems.push(`LFS object ${oid} is missing`)
      else if (found !== sizeBytes) problems.push(`LFS object ${oid} has ${found} bytes instead of ${sizeBytes}`)
    }
  }
  return problems
}
