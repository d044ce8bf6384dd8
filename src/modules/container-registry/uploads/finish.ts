import { now } from '../../../infra/database/index.ts'
import { ObjectError } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { blobKey, type Digest, expectedDigest } from '../blobs/digest.ts'
import { deleteUnusedContent } from '../blobs/lock.ts'
import { lockDigest, upsertBlob, upsertLink } from '../blobs/store.ts'
import { countPushed } from '../blobs/traffic.ts'
import { registryProblem } from '../http/problems.ts'
import { ensureRepository } from '../repositories/create.ts'
import type { RegistryPlace } from '../repositories/find.ts'
import { writerProblem } from './receive.ts'
import { dropUpload, type Upload, uploadUnknown } from './sessions.ts'
import { deleteUploadRow, setUploadDigest } from './store.ts'

const isMismatch = (error: unknown) => error instanceof ObjectError && error.code === 'digest_mismatch'

/** Makes the bytes of an upload the content of a digest, which is verified. @throws RegistryProblem 400, 404, 409 */
async function storeContent(platform: Platform, upload: Upload, digest: Digest): Promise<number> {
  const { database, objects, clock } = platform
  // From now on the content of the digest is not deleted (see `blobs/lock.ts`).
  const isMarked = await database.write(async (tx) => {
    await lockDigest(tx, digest)
    return setUploadDigest(tx, upload.id, { digest, now: now(clock) })
  })
  if (!isMarked) throw uploadUnknown()
  try {
    return (await objects.commit(upload.writerId, blobKey(digest), expectedDigest(digest))).sizeBytes
  } catch (error) {
    if (!isMismatch(error)) throw writerProblem(error)
    await dropUpload(platform, upload)
    throw registryProblem('DIGEST_INVALID', { detail: { digest } })
  }
}

/**
 * Ends an upload: its bytes become a blob of the repository. After a wrong digest the upload is dropped; after a full disk it
 * still exists (contract 02, x.v2_upload_put). The bytes are durable when the promise resolves.
 * @throws RegistryProblem 400 DIGEST_INVALID, 403, 404, 409
 */
export async function finishUpload(
  platform: Platform,
  place: Pick<RegistryPlace, 'project' | 'rest'>,
  upload: Upload,
  digest: Digest,
): Promise<void> {
  const { database, clock } = platform
  const sizeBytes = await storeContent(platform, upload, digest)
  countPushed(platform, sizeBytes)
  try {
    await database.write(async (tx) => {
      const repository = await ensureRepository(tx, place, now(clock))
      const blobId = await upsertBlob(tx, { digest, sizeBytes, now: now(clock) })
      await upsertLink(tx, repository.id, blobId, now(clock))
      await deleteUploadRow(tx, upload.id)
    })
  } catch (error) {
    await dropUpload(platform, upload)
    await deleteUnusedContent(platform, digest)
    throw error
  }
}
