import { constants } from 'node:fs'
import { access, copyFile, type FileHandle, open, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { Clock } from '../../clock/index.ts'
import { syncDirectory, syncFile } from '../../files/index.ts'
import { chunkPassed } from '../../memory/index.ts'
import { randomHex } from '../../secrets/index.ts'
import { handled } from '../../streams/index.ts'
import { createDigester, sizeMismatch, verify } from '../digester.ts'
import { ObjectError } from '../object-error.ts'
import type {
  ByteRange,
  Content,
  Expected,
  ObjectHead,
  ObjectStore,
  OpenedObject,
  StoredObject,
} from '../object-store.ts'
import { rangeNotSatisfiable, requirePositions } from '../range.ts'
import type { StorageKey } from '../storage-key.ts'
import { removeUntouched } from './abandoned.ts'
import { FILE_MODE, ignoreAbsent, makeFolders, publish, receive, translate } from './files.ts'
import { listObjects } from './list.ts'
import { createWriters } from './writers.ts'

const READ_BYTES = 256 * 1024

/**
 * Opens an object store on the file system. The key is the path below `folder`. Unfinished files are in `folder/.writing`, on the
 * same volume, and are renamed when they are complete and flushed. Several processes and machines may share the folder.
 * @param clock for the age of abandoned files
 */
export async function openFilesystem({ folder, clock }: { folder: string; clock: Clock }): Promise<ObjectStore> {
  const writing = join(folder, '.writing')
  const pathOf = (key: StorageKey): string => join(folder, key)
  await makeFolders(writing)
  /** The names of the files that this process writes: their age says nothing when the clock leaps meanwhile. */
  const underWay = new Set<string>()

  /** Writes a temporary file and renames it; deletes it after a failure. */
  async function publishing<T>(key: StorageKey, fill: (temporary: string) => Promise<T>): Promise<T> {
    const name = `put-${randomHex(16)}`
    const temporary = join(writing, name)
    underWay.add(name)
    try {
      const result = await fill(temporary)
      await publish(temporary, pathOf(key))
      return result
    } catch (error) {
      await rm(temporary, { force: true })
      throw translate(error)
    } finally {
      underWay.delete(name)
    }
  }

  const head: ObjectStore['head'] = async (key) => {
    const found = await stat(pathOf(key)).catch(ignoreAbsent)
    return found?.isFile() ? { sizeBytes: found.size, modifiedAt: found.mtime } : null
  }

  return {
    ...createWriters(writing, pathOf, clock),
    put: (key, content, expected = {}) => publishing(key, (temporary) => writeNew(temporary, content, expected)),
    get: (key, { range } = {}) => openObject(pathOf(key), range),
    head,
    async delete(key) {
      if (!(await head(key))) return
      await rm(pathOf(key), { force: true })
      await syncDirectory(dirname(pathOf(key)))
      await removeEmptyFolders(dirname(pathOf(key)), folder)
    },
    list: (prefix) => (prefix === undefined ? listObjects(folder, '') : listObjects(pathOf(prefix), `${prefix}/`)),
    async copy(from, to) {
      if (!(await head(from))) return null
      return publishing(to, (temporary) => copyFlushed(pathOf(from), temporary)).catch(ignoreAbsent)
    },
    // Files have no address of their own.
    urlOf: async () => null,
    async check() {
      const isWritable = await access(writing, constants.W_OK | constants.X_OK).then(
        () => true,
        () => false,
      )
      if (!isWritable) throw new ObjectError('unavailable', 'the folder of the object store is not writable')
    },
    removeAbandoned: (idleMs) => removeUntouched(writing, clock.now().getTime() - idleMs, underWay),
  }
}

async function writeNew(path: string, content: Content, expected: Expected): Promise<StoredObject> {
  const digester = createDigester({ withSha512: expected.sha512 !== undefined })
  await flushing(path, await open(path, 'wx', FILE_MODE), (file) =>
    receive(file, content, 0, (chunk) => {
      digester.update(chunk)
      const { sizeBytes } = expected
      if (sizeBytes !== undefined && digester.sizeBytes > sizeBytes) throw sizeMismatch(sizeBytes)
    }),
  )
  const found = digester.digests()
  verify(found, expected)
  return { sizeBytes: found.sizeBytes, sha256: found.sha256 }
}

async function copyFlushed(from: string, to: string): Promise<ObjectHead> {
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  return flushing(to, await open(to, 'r+'), async (file) => {
    const { size, mtime } = await file.stat()
    return { sizeBytes: size, modifiedAt: mtime }
  })
}

/** Runs work on an open file, then flushes and closes it. */
async function flushing<T>(path: string, file: FileHandle, work: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    const result = await work(file)
    await syncFile(file, path)
    return result
  } finally {
    await file.close()
  }
}

async function openObject(path: string, range: ByteRange | undefined): Promise<OpenedObject | null> {
  const file = await open(path).catch(ignoreAbsent)
  if (!file) return null
  let stream: Readable | undefined
  try {
    const found = await file.stat()
    if (!found.isFile()) return null
    const { firstByte, lastByte } = rangeWithin(found.size, range)
    const lengthBytes = lastByte - firstByte + 1
    if (lengthBytes > 0) {
      stream = handled(Readable.from(partOf(file, firstByte, lastByte), { objectMode: false }))
      // Also of a stream that is never read.
      stream.once('close', () => void file.close())
    }
    return { stream: stream ?? handled(Readable.from([], { objectMode: false })), sizeBytes: found.size, lengthBytes }
  } finally {
    // The stream closes the file from now on.
    if (!stream) await file.close()
  }
}

/** Reads a part of a file in chunks, whose memory is freed as they are sent. */
async function* partOf(file: FileHandle, firstByte: number, lastByte: number): AsyncGenerator<Buffer> {
  for (let position = firstByte; position <= lastByte; ) {
    const size = Math.min(READ_BYTES, lastByte + 1 - position)
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(size), 0, size, position)
    if (bytesRead === 0) throw new ObjectError('unavailable', 'the file of an object has become shorter')
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
    chunkPassed(bytesRead)
  }
}

/** The part of the requested range that exists. */
function rangeWithin(sizeBytes: number, range: ByteRange | undefined): { firstByte: number; lastByte: number } {
  if (range === undefined) return { firstByte: 0, lastByte: sizeBytes - 1 }
  requirePositions(range)
  const { firstByte, lastByte = sizeBytes - 1 } = range
  if (firstByte >= sizeBytes || firstByte > lastByte) throw rangeNotSatisfiable(sizeBytes)
  return { firstByte, lastByte: Math.min(lastByte, sizeBytes - 1) }
}

/** Removes empty parent folders of a deleted object. */
async function removeEmptyFolders(path: string, root: string): Promise<void> {
  for (let folder = path; folder !== root; folder = dirname(folder)) {
    try {
      await rmdir(folder)
    } catch {
      return
    }
  }
}
