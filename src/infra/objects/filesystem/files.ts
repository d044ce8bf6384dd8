import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { ObjectError } from '../object-error.ts'
import type { Content } from '../object-store.ts'

/** Everything below the root is for the server's own user. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/**
 * Writes the content at `positionBytes`; one chunk is in memory at a time.
 * @param take sees each chunk while it is being written
 * @returns position of the byte behind the content
 */
export async function receive(
  file: FileHandle,
  content: Content,
  positionBytes: number,
  take: (chunk: Uint8Array) => void,
): Promise<number> {
  let position = positionBytes
  // Leaving the loop must not destroy the source: a request whose socket is destroyed could not be answered any more.
  const chunks = content instanceof Readable ? content.iterator({ destroyOnReturn: false }) : content
  for await (const piece of chunks as AsyncIterable<Uint8Array | string>) {
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece
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
 * Gives a finished, flushed file its name, durably. Folders are made as needed; a delete may remove an empty one at the
 * same moment, so that is tried again.
 */
export async function publish(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolders(dirname(to))
      await rename(from, to)
      // Gone again when the object was deleted at once.
      await syncFolder(dirname(to)).catch(ignoreAbsent)
      return
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || attempt === 10) throw error
    }
  }
}

/** Makes a folder and its parents, and flushes every folder that got a new entry. */
export async function makeFolders(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Makes renames and new names in a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

/** Whether an error is one of these system errors. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** For `catch`: an absent file is null, any other error stays one. */
export function ignoreAbsent(error: unknown): null {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
  throw error
}

/** System errors that the caller should tell apart, as the store's own. */
export function translate(error: unknown): unknown {
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return new ObjectError('storage_full', 'no space is left for objects')
  if (hasCode(error, 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST')) {
    return new ObjectError('key_conflict', 'one of the two keys would be the folder of the other')
  }
  return error
}
