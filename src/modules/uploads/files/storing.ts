import { failure, type UploadedFile } from '../../../api/index.ts'
import { DatabaseUnavailable, type Tx } from '../../../infra/database/index.ts'
import type { StorageKey } from '../../../infra/objects/index.ts'
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
  return error
}

/** Deletes files whose records were not written, after the error of the database that says so. */
export async function discardFiles({ objects }: Platform, keys: readonly StorageKey[], error: unknown): Promise<void> {
  // Without an answer of the database the records may exist; files without one are swept.
  if (error instanceof DatabaseUnavailable) return
  for (const key of keys) await objects.delete(key)
}

/** Stores an uploaded file without a record. @throws ApiError 422; ObjectError */
export async function putFile({ objects }: Platform, key: StorageKey, file: UploadedFile): Promise<StoredFile> {
  const content = withoutMetadata(file.path)
  try {
    return await objects.put(key, content)
  } catch (error) {
    throw refusalOf(error)
  } finally {
    await content.return(undefined)
  }
}

/**
 * Stores an uploaded file, images without metadata, and then its record. Without a record no file remains.
 * @param record writes the record
 * @throws ApiError 422 when the file begins like a JPEG or TIFF image and is none; ObjectError, which is
 * answered with 507 when the object store is full, and with 503 when it is away
 */
export async function storeFile<Row>(
  platform: Platform,
  key: StorageKey,
  file: UploadedFile,
  record: (tx: Tx, stored: StoredFile) => Promise<Row>,
): Promise<Row> {
  const stored = await putFile(platform, key, file)
  try {
    return await platform.database.write((tx) => record(tx, stored))
  } catch (error) {
    await discardFiles(platform, [key], error)
    throw error
  }
}
