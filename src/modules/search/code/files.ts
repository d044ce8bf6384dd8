import { GitError, type Oid, parseOid, type Repository } from '../../../infra/git/index.ts'

/** Larger files are not searched, in bytes. */
export const largestFile = 1024 * 1024
/** Git takes a file for binary that has a NUL so near its beginning, in bytes. */
const binaryWithin = 8_000

/** What is searched in a file; null for one that is large or binary, or gone. */
export async function searchableContent(repository: Repository, key: string): Promise<Buffer | null> {
  const oid: Oid | null = parseOid(key)
  if (!oid) return null
  try {
    const found = await repository.readObject(oid, { maxBytes: largestFile })
    if (found?.type !== 'blob') return null
    return found.content.subarray(0, binaryWithin).includes(0) ? null : found.content
  } catch (error) {
    if (error instanceof GitError && error.code === 'too_large') return null
    throw error
  }
}
