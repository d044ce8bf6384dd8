import type { Platform } from '../../../platform/index.ts'
import { blobKey, type Digest } from './digest.ts'
import { isDigestUsed, lockDigest } from './store.ts'

/*
 * The content of a blob and its row cannot change in one transaction. A commit writes the digest into the row of its upload,
 * under the lock of the digest; then it stores the content; then one transaction inserts the blob and deletes the upload. The
 * content is deleted under the same lock, and only when neither a blob nor an upload has the digest. So a commit either
 * precedes the check, or begins after the content is gone.
 */

/**
 * Deletes the content of a digest unless a blob has it or an upload is about to (contract 02 R10). The rows of the blob were
 * deleted before, in a transaction that has ended. The deletion happens inside of a transaction, because the lock must last
 * until the content is gone.
 * @returns whether the content is gone
 */
export async function deleteUnusedContent(
  { database, objects }: Pick<Platform, 'database' | 'objects'>,
  digest: Digest,
): Promise<boolean> {
  const key = blobKey(digest)
  // Before the lock, so that a store that is not available does not make others wait for it.
  if (!(await objects.head(key))) return true
  return database.write(async (tx) => {
    await lockDigest(tx, digest)
    if (await isDigestUsed(tx, digest)) return false
    await objects.delete(key)
    return true
  })
}
