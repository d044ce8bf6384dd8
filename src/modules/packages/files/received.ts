import { createHash } from 'node:crypto'
import { type StorageKey, storageKey } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'

/** Storage keys of files of packages begin with it. */
export const packagesPrefix = storageKey('packages')

const checked = ['md5', 'sha1', 'sha512'] as const

/** The digests of content, as lower-case hex digits. */
export type Digests = Record<(typeof checked)[number] | 'sha256', string>

/** Content that is stored, without a row. */
export type Received = Digests & { key: StorageKey; sizeBytes: number }

/** A storage key that was never used before: a removal that is still running cannot delete bytes that were stored again. */
const newKey = () => {
  const name = randomHex(16)
  return storageKey('packages', name.slice(0, 2), name.slice(2, 4), name)
}

/**
 * Stores content in the object store, and computes its digests while it streams. The memory does not depend on its size. Nothing
 * remains of content that breaks off.
 * @throws ApiError 507 and 503 by the object store; what the content throws
 */
export async function receiveContent({ objects }: Platform, content: AsyncIterable<Uint8Array>): Promise<Received> {
  const hashes = checked.map((name) => [name, createHash(name)] as const)
  async function* hashed() {
    for await (const chunk of content) {
      for (const [, hash] of hashes) hash.update(chunk)
      yield chunk
    }
  }
  const key = newKey()
  const { sizeBytes, sha256 } = await objects.put(key, hashed())
  const digests = Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest('hex')]))
  return { key, sizeBytes, sha256, ...(digests as Omit<Digests, 'sha256'>) }
}

/** Deletes content that was stored and is not needed. */
export const discardContent = ({ objects }: Platform, { key }: Received): Promise<void> => objects.delete(key)
