/** Creates a tar file of a bare repository while it is in use. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ignoreMissing, namesIn } from '../../files/index.ts'
import { tarEnd, tarHeader, tarPadding } from '../../tar/index.ts'
import { GitError } from '../model/errors.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { pacedStream } from '../process/client-watch.ts'
import type { SlotRequest } from '../process/semaphore.ts'
import { packedRefsHeader, readAllRefs } from '../refs/all-refs.ts'
import { readHead } from '../refs/head-file.ts'
import { configFile, objectFormatOf } from '../writing/create.ts'

const DIRECTORIES = ['objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags'] as const
const CHUNK_BYTES = 64 * 1024
/** How often opening the packs is retried when maintenance replaces them. */
const OPEN_ATTEMPTS = 10
const FAN_OUT = /^[0-9a-f]{2}$/
const LOOSE_OBJECT = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/
/** The files of a pack that are copied, the pack before its index. All others can be created from these. */
const PACK = /^pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.pack$/

/**
 * Streams a tar of the repository: HEAD, a configuration with only the object format, the refs as `packed-refs`, and the
 * objects. Hooks, locks and quarantines are left out. The result is consistent whatever happens meanwhile: refs are read first,
 * so all their objects exist from then on; loose objects follow, which only move into packs; the packs come last.
 * Holds a transfer slot until the stream is read or destroyed.
 * @throws GitError `repository_missing`, `busy`. Later failures destroy the stream.
 */
export async function tarball(context: RepositoryContext, { signal, caller }: SlotRequest = {}): Promise<Readable> {
  const release = await context.runner.takeSlot('transfer', { signal, caller })
  try {
    const stream = await tarOf(context, signal)
    stream.once('close', release)
    return stream
  } catch (error) {
    release()
    throw error
  }
}

async function tarOf(context: RepositoryContext, signal: AbortSignal | undefined): Promise<Readable> {
  const { runner, directory } = context
  const head = await readHead(directory)
  const format = await objectFormatOf(directory)
  const { mtimeMs } = await stat(join(directory, 'HEAD'))
  const refs = Buffer.concat([Buffer.from(packedRefsHeader), await readAllRefs(context, signal)])
  const time = Math.floor(mtimeMs / 1_000)
  async function* entries(): AsyncGenerator<Buffer> {
    yield* textEntry('HEAD', `ref: ${head}\n`, time)
    yield* textEntry('config', configFile(format), time)
    for (const path of DIRECTORIES) yield tarHeader({ path, kind: 'directory', sizeBytes: 0, time })
    yield* textEntry('packed-refs', refs, time)
    yield* looseObjects(directory)
    yield* packs(directory)
    yield tarEnd
  }
  const abort = () => stream.destroy(new GitError('aborted', 'aborted before the end'))
  const stream = pacedStream(entries(), runner.limits.clientIdleMs, () => signal?.removeEventListener('abort', abort))
  signal?.addEventListener('abort', abort, { once: true })
  return stream
}

function* textEntry(path: string, content: string | Buffer, time: number): Generator<Buffer> {
  const bytes = Buffer.from(content)
  yield tarHeader({ path, kind: 'file', sizeBytes: bytes.length, time })
  yield bytes
  yield tarPadding(bytes.length)
}

async function* looseObjects(directory: string): AsyncGenerator<Buffer> {
  const objects = join(directory, 'objects')
  for (const name of (await namesIn(objects)).filter((entry) => FAN_OUT.test(entry)).sort()) {
    let isFirst = true
    for (const file of (await namesIn(join(objects, name))).filter((entry) => LOOSE_OBJECT.test(entry)).sort()) {
      // An object that has vanished is in a pack now, or was not needed.
      const handle = await openIfThere(join(objects, name, file))
      if (handle === null) continue
      try {
        if (isFirst) yield* directoryEntry(`objects/${name}`, handle)
        isFirst = false
        yield* fileEntry(`objects/${name}/${file}`, handle)
      } finally {
        await handle.close()
      }
    }
  }
}

/** Opens all packs at once: open files stay readable when maintenance replaces them. */
async function* packs(directory: string): AsyncGenerator<Buffer> {
  const files = await openPacks(join(directory, 'objects/pack'))
  try {
    for (const [name, handle] of files) yield* fileEntry(`objects/pack/${name}`, handle)
  } finally {
    await closeAll(files)
  }
}

type OpenFiles = Map<string, FileHandle>

async function openPacks(path: string): Promise<OpenFiles> {
  for (let attempt = 1; ; attempt += 1) {
    const files: OpenFiles = new Map()
    try {
      if (await openAll(path, files)) return files
    } catch (error) {
      await closeAll(files)
      throw error
    }
    await closeAll(files)
    if (attempt === OPEN_ATTEMPTS) throw new GitError('busy', 'the packs are replaced faster than they can be opened')
  }
}

/** Returns false when a file vanished: its objects are in a pack that the list may lack. */
async function openAll(path: string, files: OpenFiles): Promise<boolean> {
  const names = new Set((await namesIn(path)).sort())
  for (const pack of [...names].filter((name) => PACK.test(name))) {
    const index = pack.replace(/pack$/, 'idx')
    // Git writes the index last: this pack is not in use yet, and the refs do not depend on it.
    if (!names.has(index)) continue
    for (const name of [pack, index]) {
      const handle = await openIfThere(join(path, name))
      if (handle === null) return false
      files.set(name, handle)
    }
  }
  return true
}

async function closeAll(files: OpenFiles): Promise<void> {
  for (const handle of files.values()) await handle.close()
  files.clear()
}

async function* directoryEntry(path: string, like: FileHandle): AsyncGenerator<Buffer> {
  const { mtimeMs } = await like.stat()
  yield tarHeader({ path, kind: 'directory', sizeBytes: 0, time: Math.floor(mtimeMs / 1_000) })
}

/** Adds a file that never changes. */
async function* fileEntry(path: string, handle: FileHandle): AsyncGenerator<Buffer> {
  const { size, mtimeMs } = await handle.stat()
  yield tarHeader({ path, kind: 'file', sizeBytes: size, time: Math.floor(mtimeMs / 1_000) })
  for (let offset = 0; offset < size; ) {
    const length = Math.min(CHUNK_BYTES, size - offset)
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset)
    if (bytesRead === 0) throw new GitError('command_failed', `a file of the repository was cut: ${path}`)
    yield buffer.subarray(0, bytesRead)
    offset += bytesRead
  }
  yield tarPadding(size)
}

function openIfThere(path: string): Promise<FileHandle | null> {
  return open(path, 'r').catch(ignoreMissing)
}
