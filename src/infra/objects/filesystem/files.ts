import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chunksOf } from '../content.ts'
import { ObjectError } from '../object-error.ts'
import type { Content } from '../object-store.ts'

/** The mode of files: only the server's user may access them. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/**
 * Writes the content at `positionBytes`; one chunk is in memory at a time.
 * @param take called with each chunk
 * @returns the position after the content
 */
export async function receive(
  file: FileHandle,
  content: Content,
  positionBytes: number,
  take: (chunk: Uint8Array) => void,
): Promise<number> {
  let position = positionBytes
  for await (const chunk of chunksOf(content)) {
    const writing = writeAll(file, chunk, position)
    try {
      take(chunk)
    } finally {
      await writing
    }
    position += chunk.length
  }
  return position
}

async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}

/**
 * Renames a finished, flushed file to its final name, durably. Creates folders; retries when a concurrent delete removes an
 * empty one.
 */
export async function publish(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolders(dirname(to))
      await rename(from, to)
      // Does not exist when the object was deleted meanwhile.
      await syncFolder(dirname(to)).catch(ignoreAbsent)
      return
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || attempt === 10) throw error
    }
  }
}

/** Creates a folder and its parents, and syncs every folder with a new entry. */
export async function makeFolders(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Syncs a folder, which makes new and renamed entries durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

/** Whether an error is one of these system errors. */
function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** For `catch`: returns null for a missing file, and rethrows other errors. */
export function ignoreAbsent(error: unknown): null {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
  throw error
}

/** Converts system errors that callers distinguish into errors of the store. */
export function translate(error: unknown): unknown {
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return new ObjectError('storage_full', 'no space is left for objects')
  if (hasCode(error, 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST')) {
    return new ObjectError('key_conflict', 'one of the two keys would be the folder of the other')
  }
  return error
}
