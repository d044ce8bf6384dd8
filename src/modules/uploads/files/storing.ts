import { createReadStream } from 'node:fs'
import { insufficientStorage, type UploadedFile } from '../../../api/index.ts'
import { ObjectError, type StorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'

const bytesPerMegabyte = 1024 * 1024

/** The size limit of an attached file, in bytes (contract 08, "Size limit"). */
export async function largestAttachmentBytes({ settings }: Platform): Promise<number> {
  return (await settings.current()).max_attachment_size * bytesPerMegabyte
}

/** What a record of a stored file needs. */
export type StoredFile = { sizeBytes: number; sha256: string }

/**
 * Stores an uploaded file. The caller writes its record afterwards, and removes the object when that fails.
 * @throws ApiError 507 when the object store refuses the write
 */
export async function storeFile({ objects }: Platform, key: StorageKey, file: UploadedFile): Promise<StoredFile> {
  const content = createReadStream(file.path)
  try {
    return await objects.put(key, content)
  } catch (error) {
    throw error instanceof ObjectError ? insufficientStorage() : error
  } finally {
    content.destroy()
  }
}
