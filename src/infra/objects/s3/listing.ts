import type { ListedObject } from '../object-store.ts'
import { parseStorageKey, type StorageKey } from '../storage-key.ts'
import type { Bucket } from './bucket.ts'

/** An object of the bucket; the key is without the bucket's prefix. */
export interface Entry {
  key: string
  sizeBytes: number
  modifiedAt: Date
}

/** Yields everything whose key begins with `start`, sorted by key. Holds one page of 1,000 entries. */
export async function* entriesOf(bucket: Bucket, start: string): AsyncGenerator<Entry> {
  let token: string | undefined
  do {
    const page = await bucket.client.listObjectsV2({
      Bucket: bucket.name,
      Prefix: bucket.prefix + start,
      ...(token === undefined ? {} : { ContinuationToken: token }),
    })
    for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
      yield { key: Key.slice(bucket.prefix.length), sizeBytes: Size, modifiedAt: LastModified }
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined
  } while (token !== undefined)
}

/** Yields the objects below a key, or all, sorted by key. */
export async function* listObjects(bucket: Bucket, prefix?: StorageKey): AsyncGenerator<ListedObject> {
  for await (const entry of entriesOf(bucket, prefix === undefined ? '' : `${prefix}/`)) {
    const key = objectKey(entry.key)
    if (key !== null) yield { ...entry, key }
  }
}

/** Null for names that do not belong to objects: unfinished uploads, and what others stored in the bucket. */
function objectKey(text: string): StorageKey | null {
  try {
    return parseStorageKey(text)
  } catch {
    return null
  }
}
