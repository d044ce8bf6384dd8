import { failure, insufficientStorage, type UploadedFile } from '../../../api/index.ts'
import { ObjectError, type StorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ImageProblem } from '../metadata/problem.ts'
import { withoutMetadata } from '../metadata/removal.ts'

const bytesPerMegabyte = 1024 * 1024

/** The size limit of an attached file, in bytes (contract 08, "Size limit"). */
export async function largestAttachmentBytes({ settings }: Platform): Promise<number> {
  return (await settings.current()).max_attachment_size * bytesPerMegabyte
}

/** What a record of a stored file needs. */
export type StoredFile = { sizeBytes: number; sha256: string }

function refusalOf(error: unknown): unknown {
  if (error instanceof ImageProblem) return failure(422, '422 Unprocessable Entity - Failed to process image')
  return error instanceof ObjectError ? insufficientStorage() : error
}

/**
 * Stores an uploaded file, images without metadata. The caller writes its record afterwards, and removes the object when that
 * fails.
 * @throws ApiError 422 when the file begins like a JPEG or TIFF image and is none, 507 when the object store refuses the write
 */
export async function storeFile({ objects }: Platform, key: StorageKey, file: UploadedFile): Promise<StoredFile> {
  const content = withoutMetadata(file.path)
  try {
    return await objects.put(key, content)
  } catch (error) {
    throw refusalOf(error)
  } finally {
    await content.return(undefined)
  }
}
