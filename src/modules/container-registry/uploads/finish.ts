import { now } from '../../../infra/database/index.ts'
import { type Content, ObjectError } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { blobKey, type Digest, expectedDigest } from '../blobs/digest.ts'
import { deleteUnusedContent } from '../blobs/lock.ts'
import { lockDigest, upsertBlob, upsertLink } from '../blobs/store.ts'
import { countPushed } from '../blobs/traffic.ts'
import type { RepositoryExchange } from '../http/endpoint.ts'
import { registryProblem } from '../http/problems.ts'
import { ensureRepository } from '../repositories/create.ts'
import type { RegistryPlace } from '../repositories/find.ts'
import { checkPosition, contentOf, receiveChunk, writerProblem } from './receive.ts'
import { beginUpload, dropUpload, type Upload, uploadUnknown } from './sessions.ts'
import { deleteUploadRow, setUploadDigest } from './store.ts'

const isMismatch = (error: unknown) => error instanceof ObjectError && error.code === 'digest_mismatch'

/** Notes the digest of an upload. From now on the content of the digest is not deleted (see `blobs/lock.ts`). */
async function markDigest({ database, clock }: Platform, { id }: Upload, digest: Digest): Promise<void> {
  // Without the mark the upload is refused in the end.
  const isMarked = await database.writeSoon(async (tx) => {
    await lockDigest(tx, digest)
    return setUploadDigest(tx, id, { digest, now: now(clock) })
  })
  if (!isMarked) throw uploadUnknown()
}

/** Makes bytes the content of a digest, which is verified. @throws RegistryProblem 400, 404, 409 */
async function storeContent(platform: Platform, upload: Upload, digest: Digest, content: Content): Promise<number> {
  const { objects } = platform
  const [key, expected] = [blobKey(digest), expectedDigest(digest)]
  try {
    const storing =
      upload.writerId === null ? objects.put(key, content, expected) : objects.commit(upload.writerId, key, expected)
    return (await storing).sizeBytes
  } catch (error) {
    if (!isMismatch(error)) throw writerProblem(error)
    await dropUpload(platform, upload)
    throw registryProblem('DIGEST_INVALID', { detail: { digest } })
  }
}

/**
 * Makes stored bytes a blob of the repository. Refused when the upload is gone, or its digest: then the content may be gone.
 * @throws RegistryProblem 403, 404
 */
async function commitBlob(
  { database, clock }: Platform,
  place: Pick<RegistryPlace, 'project' | 'rest'>,
  upload: Upload,
  { digest, sizeBytes }: { digest: Digest; sizeBytes: number },
) {
  return database.write(async (tx) => {
    const repository = await ensureRepository(tx, place, now(clock))
    const blobId = await upsertBlob(tx, { digest, sizeBytes, now: now(clock) })
    await upsertLink(tx, repository.id, blobId, now(clock))
    const ended = await deleteUploadRow(tx, upload.id)
    if (ended?.digest !== digest) throw uploadUnknown()
    return ended
  })
}

/**
 * Ends an upload whose digest is noted: its bytes become a blob of the repository. After a wrong digest the upload is
 * dropped; after a full disk it still exists (contract 02, x.v2_upload_put). The bytes are durable when the promise resolves.
 * @param content all bytes, of an upload that has received none
 * @throws RegistryProblem 400 DIGEST_INVALID, 403, 404, 409
 */
async function finish(
  platform: Platform,
  place: Pick<RegistryPlace, 'project' | 'rest'>,
  upload: Upload,
  { digest, content }: { digest: Digest; content: Content },
): Promise<void> {
  const sizeBytes = await storeContent(platform, upload, digest, content)
  countPushed(platform, sizeBytes)
  try {
    const ended = await commitBlob(platform, place, upload, { digest, sizeBytes })
    // A chunk that arrived beside the whole content.
    if (upload.writerId === null && ended.writer_id) await platform.objects.cancel(ended.writer_id)
  } catch (error) {
    await dropUpload(platform, upload)
    await deleteUnusedContent(platform, digest)
    throw error
  }
}

/** Ends an upload with the last chunk, if any, or with the whole content when it has received none. */
export async function finishUpload(
  platform: Platform,
  exchange: RepositoryExchange,
  upload: Upload,
  digest: Digest,
): Promise<void> {
  const { request, place } = exchange
  const isWhole = upload.writerId === null
  if (isWhole) checkPosition(exchange, upload)
  const received = isWhole ? upload : await receiveChunk(platform, exchange, upload)
  await markDigest(platform, received, digest)
  await finish(platform, place, received, { digest, content: contentOf(platform, request, received) })
}

/** Uploads a blob with one request. Nothing remains of a failed one, since the client does not know its upload. */
export async function uploadWhole(platform: Platform, exchange: RepositoryExchange, digest: Digest): Promise<void> {
  const { request, place } = exchange
  const upload = await beginUpload(platform, place, digest)
  try {
    await finish(platform, place, upload, { digest, content: contentOf(platform, request, upload) })
  } catch (error) {
    await dropUpload(platform, upload)
    throw error
  }
}
