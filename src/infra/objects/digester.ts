import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ObjectError } from './object-error.ts'
import type { Expected } from './object-store.ts'

/** The size and digests of the data so far. */
export interface Digests {
  sizeBytes: number
  sha256: string
  sha512: string | undefined
}

/** Computes digests of a stream. */
export interface Digester {
  update(chunk: Uint8Array): void
  readonly sizeBytes: number
  /** Can be called repeatedly, at any time. */
  digests(): Digests
}

/** Creates a digester. @param options SHA-512 is computed only on request, SHA-256 always */
export function createDigester({ withSha512 }: { withSha512: boolean }): Digester {
  const sha256 = createHash('sha256')
  const sha512 = withSha512 ? createHash('sha512') : undefined
  let sizeBytes = 0
  return {
    update(chunk) {
      sha256.update(chunk)
      sha512?.update(chunk)
      sizeBytes += chunk.length
    },
    get sizeBytes() {
      return sizeBytes
    },
    digests: () => ({ sizeBytes, sha256: sha256.copy().digest('hex'), sha512: sha512?.copy().digest('hex') }),
  }
}

/** Compares content with its expected properties. @throws ObjectError `size_mismatch`, `digest_mismatch` */
export function verify(found: Digests, expected: Expected): void {
  if (expected.sizeBytes !== undefined && found.sizeBytes !== expected.sizeBytes) throw sizeMismatch(expected.sizeBytes)
  for (const algorithm of ['sha256', 'sha512'] as const) {
    if (expected[algorithm] !== undefined && found[algorithm] !== expected[algorithm]) {
      throw new ObjectError('digest_mismatch', `the content's ${algorithm} is ${found[algorithm]}`)
    }
  }
}

/** The error for content with an unexpected size. */
export function sizeMismatch(expectedBytes: number): ObjectError {
  return new ObjectError('size_mismatch', `the content has not ${expectedBytes} bytes`)
}

/** Whether an error means that the content differs from the expected one. */
export function isMismatch(error: unknown): boolean {
  return error instanceof ObjectError && (error.code === 'digest_mismatch' || error.code === 'size_mismatch')
}

/** The maximal number of digesters. Other uploads are hashed again when they end. */
const MAX_RUNNING = 1000

/**
 * Caches digesters of running uploads, so that a commit in the same process need not read the file again. A digester that is
 * not as long as its file (another process wrote to it, or an append failed) is dropped.
 */
export function createRunningDigests(): {
  /** The digests of an upload's first `sizeBytes` bytes, if they are known. */
  of(id: string, sizeBytes: number): Digester | undefined
  drop(id: string): void
} {
  const running = new LRUCache<string, Digester>({ max: MAX_RUNNING })
  return {
    of(id, sizeBytes) {
      const known = running.get(id)
      if (known?.sizeBytes === sizeBytes) return known
      running.delete(id)
      if (sizeBytes !== 0) return undefined
      const fresh = createDigester({ withSha512: false })
      running.set(id, fresh)
      return fresh
    },
    drop: (id) => void running.delete(id),
  }
}
