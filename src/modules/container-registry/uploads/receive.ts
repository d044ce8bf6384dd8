import type { FastifyRequest } from 'fastify'
import { bytesOf } from '../../../api/index.ts'
import { ObjectError } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type RegistryProblem, registryProblem } from '../http/problems.ts'
import { checkContentRange, hasContent } from './content-range.ts'
import { keepUpload, type Upload, uploadUnknown } from './sessions.ts'
import { setUploadWriter } from './store.ts'

/** The headers of an answer about an upload. Nothing received and one byte received have the same range. */
export function uploadHeaders(name: string, { id, sizeBytes }: Upload): Record<string, string> {
  return {
    Location: `/v2/${name}/blobs/uploads/${id}`,
    Range: `0-${Math.max(0, sizeBytes - 1)}`,
    'Docker-Upload-UUID': id,
  }
}

/** 416: the chunk does not begin at the next byte. */
const notNext = (name: string, upload: Upload): RegistryProblem =>
  registryProblem('RANGE_INVALID', { headers: uploadHeaders(name, upload) })

/** 409: another request writes to the upload. */
const busy = () => registryProblem('BLOB_UPLOAD_INVALID', { status: 409, message: 'blob upload is in use' })

/** The error of the distribution API for an error of a writer; other errors as they are. */
export function writerProblem(error: unknown): unknown {
  if (!(error instanceof ObjectError)) return error
  if (error.code === 'writer_unknown') return uploadUnknown()
  return error.code === 'writer_busy' || error.code === 'offset_mismatch' ? busy() : error
}

/** The body of a request, which may be empty. While it arrives, the upload is in use. */
export async function* contentOf(
  platform: Platform,
  request: FastifyRequest,
  upload: Upload,
): AsyncGenerator<Uint8Array> {
  await keepUpload(platform, upload)
  for await (const chunk of bytesOf(request.raw, platform.clock)) {
    yield chunk
    await keepUpload(platform, upload)
  }
}

/**
 * Checks that the body of a request continues an upload.
 * @param name the repository, for the answer to a chunk at a wrong position
 * @returns whether the client named the position
 * @throws RegistryProblem 400, 416
 */
export function checkPosition({ request, name }: Sender, upload: Upload): boolean {
  return checkContentRange(request, upload.sizeBytes, () => notNext(name, upload))
}

type Sender = { request: FastifyRequest; name: string }

/** The writer of an upload, which its first chunk begins. @throws RegistryProblem 409 when another request began one */
async function writerOf({ database, objects }: Platform, { id, writerId }: Upload): Promise<string> {
  if (writerId !== null) return writerId
  const begun = await objects.begin()
  if (await database.write((tx) => setUploadWriter(tx, id, begun.id))) return begun.id
  await objects.cancel(begun.id)
  throw busy()
}

/**
 * Appends the body of a request to an upload, streamed. After a broken connection the upload has what was received.
 * @returns the upload with its new size
 * @throws RegistryProblem 400, 416 (nothing was appended); 404; 409
 */
export async function receiveChunk(platform: Platform, sender: Sender, upload: Upload): Promise<Upload> {
  const { request, name } = sender
  const isPositioned = checkPosition(sender, upload)
  if (!hasContent(request)) return upload
  const writerId = await writerOf(platform, upload)
  try {
    const content = contentOf(platform, request, upload)
    const { sizeBytes } = await platform.objects.append(writerId, upload.sizeBytes, content)
    return { ...upload, writerId, sizeBytes }
  } catch (error) {
    const isMoved = error instanceof ObjectError && error.code === 'offset_mismatch'
    if (isMoved && isPositioned) throw notNext(name, { ...upload, sizeBytes: error.sizeBytes ?? upload.sizeBytes })
    throw writerProblem(error)
  }
}
