import { type FileHandle, mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from '../../files/index.ts'
import { chunkPassed } from '../../memory/index.ts'
import { ObjectError } from '../object-error.ts'
import { type Content, chunksOf } from '../object-store.ts'

/** The mode of files: only the server's user may access them. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/** Chunks that arrive during a write are written together, up to this size: each write passes through a thread. */
const BATCH_BYTES = 512 * 1024

/**
 * Writes the content at `positionBytes`. Memory is bounded: two batches of chunks at most.
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
  let batch: Uint8Array[] = []
  let batchBytes = 0
  let writing: Promise<void> | undefined
  async function write(): Promise<void> {
    while (batchBytes > 0) {
      const written = writeAll(file, batch, position)
      position += batchBytes
      batch = []
      batchBytes = 0
      await written
    }
    writing = undefined
  }
  try {
    for await (const chunk of chunksOf(content)) {
      batch.push(chunk)
      batchBytes += chunk.length
      if (batchBytes >= BATCH_BYTES) await writing
      if (batchBytes > 0 && !writing) {
        writing = write()
        // The error is thrown where it is awaited.
        writing.catch(() => {})
      }
      take(chunk)
      chunkPassed(chunk.length)
    }
  } finally {
    await writing
  }
  return position
}

async function writeAll(file: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, position)
  if (bytesWritten === chunks.reduce((sum, { length }) => sum + length, 0)) return
  // A write is short when the disk is nearly full; the next one says so.
  const rest = Buffer.concat(chunks).subarray(bytesWritten)
  for (let done = 0; done < rest.length; ) {
    done += (await file.write(rest, done, rest.length - done, position + bytesWritten + done)).bytesWritten
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
      await syncDirectory(dirname(to))
      return
    } catch (error) {
      // Node may report a folder that vanishes while it is created as one that exists, or as no folder.
      if (!hasCode(error, 'ENOENT', 'EEXIST', 'ENOTDIR') || attempt === 10) throw error
    }
  }
}

/** Creates a folder and its parents, and syncs every folder with a new entry. */
export async function makeFolders(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made))
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
