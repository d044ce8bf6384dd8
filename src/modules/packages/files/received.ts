import { createHash } from 'node:crypto'
import { type StorageKey, storageKey } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { fileTooLarge } from '../access/problems.ts'

/** Storage keys of files of packages begin with it. */
export const packagesPrefix = storageKey('packages')

const checked = ['md5', 'sha1', 'sha512'] as const

/** The digests of content, as lower-case hex digits. */
export type Digests = Record<(typeof checked)[number] | 'sha256', string>

/** Content that is stored, without a row. */
export type Received = Digests & { key: StorageKey; sizeBytes: number }

type Limits = {
  /** The largest size in bytes; 0: none. */
  maximumBytes: number
  /** Called with the digests once the content has ended; what it throws refuses the content. */
  verify?: (digests: Omit<Digests, 'sha256'> & { sizeBytes: number }) => void
}

/** A storage key that was never used before: a removal that is still running cannot delete bytes that were stored again. */
const newKey = () => {
  const name = randomHex(16)
  return storageKey('packages', name.slice(0, 2), name.slice(2, 4), name)
}

/**
 * Stores content in the object store, and computes its digests while it streams. The memory does not depend on its size. Nothing
 * remains of content that breaks off or is refused.
 * @throws ApiError 400 beyond the limit, 507 and 503 by the object store; what `verify` and the content throw
 */
export async function receiveContent(
  { objects }: Platform,
  content: AsyncIterable<Uint8Array>,
  { maximumBytes, verify }: Limits,
): Promise<Received> {
  const hashes = checked.map((name) => [name, createHash(name)] as const)
  let found: Omit<Digests, 'sha256'> | undefined
  async function* measured() {
    let sizeBytes = 0
    for await (const chunk of content) {
      sizeBytes += chunk.length
      if (maximumBytes > 0 && sizeBytes > maximumBytes) throw fileTooLarge()
      for (const [, hash] of hashes) hash.update(chunk)
      yield chunk
    }
    found = Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest('hex')])) as NonNullable<typeof found>
    // Before the store has seen the end: refused content never appears.
    verify?.({ ...found, sizeBytes })
  }
  const key = newKey()
  const { sizeBytes, sha256 } = await objects.put(key, measured())
  if (!found) throw new Error('the object store has not read the content to its end')
  return { key, sizeBytes, sha256, ...found }
}

/** Deletes content that was stored and is not needed. */
export const discardContent = ({ objects }: Platform, { key }: Received): Promise<void> => objects.delete(key)
