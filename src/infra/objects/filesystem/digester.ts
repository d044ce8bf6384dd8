import { createHash } from 'node:crypto'
import { ObjectError } from '../object-error.ts'
import type { Expected } from '../object-store.ts'

/** What has come so far. */
export interface Digests {
  sizeBytes: number
  sha256: string
  sha512: string | undefined
}

/** Digests of a stream, computed as it passes. */
export interface Digester {
  update(chunk: Uint8Array): void
  readonly sizeBytes: number
  /** May be asked at any time and again. */
  digests(): Digests
}

/** @param options SHA-512 is computed only when somebody expects one, SHA-256 always */
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

/** @throws ObjectError `size_mismatch` or `digest_mismatch` when what came is not what was expected */
export function verify(found: Digests, expected: Expected): void {
  if (expected.sizeBytes !== undefined && found.sizeBytes !== expected.sizeBytes) throw sizeMismatch(expected.sizeBytes)
  for (const algorithm of ['sha256', 'sha512'] as const) {
    if (expected[algorithm] !== undefined && found[algorithm] !== expected[algorithm]) {
      throw new ObjectError('digest_mismatch', `the content's ${algorithm} is ${found[algorithm]}`)
    }
  }
}

/** The error for content of another size. */
export function sizeMismatch(expectedBytes: number): ObjectError {
  return new ObjectError('size_mismatch', `the content has not ${expectedBytes} bytes`)
}

/** Whether an error says that the content is not the expected one. */
export function isMismatch(error: unknown): boolean {
  return error instanceof ObjectError && (error.code === 'digest_mismatch' || error.code === 'size_mismatch')
}

/** An upload that is further behind than this many others is hashed again at its end. */
const MAX_RUNNING = 1000

/**
 * Digests that follow uploads as they grow, so that a commit in the same process need not read the file again.
 * Only a short cut: one that is not exactly as long as its file, because another process wrote to it or because an
 * append broke off, is forgotten.
 */
export function createRunningDigests(): {
  /** The digests of an upload's first `sizeBytes` bytes, if they are known. */
  of(id: string, sizeBytes: number): Digester | undefined
  drop(id: string): void
} {
  const running = new Map<string, Digester>()
  return {
    of(id, sizeBytes) {
      let known = running.get(id)
      running.delete(id)
      if (known?.sizeBytes !== sizeBytes) known = sizeBytes === 0 ? createDigester({ withSha512: false }) : undefined
      if (known) running.set(id, known)
      const oldest = running.size > MAX_RUNNING ? running.keys().next().value : undefined
      if (oldest !== undefined) running.delete(oldest)
      return known
    },
    drop: (id) => running.delete(id),
  }
}
