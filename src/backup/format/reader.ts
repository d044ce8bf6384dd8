import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { BLOCK_BYTES, tarEnd, tarHeader, tarPadding } from '../../infra/tar/index.ts'
import { type Bytes, decompressed } from './compression.ts'
import {
  formatVersion,
  type Header,
  hasPart,
  type Line,
  orderCheck,
  type Part,
  parseLine,
  parseTrailer,
  type Trailer,
} from './lines.ts'
import { headerFile, manifestFile, partFile, trailerBytes, trailerFile } from './names.ts'
import { BackupRefused } from './refused.ts'
import { entryTime, headerText, trailerText } from './writer.ts'

const readBytes = 256 * 1024
const longestLine = 1024 * 1024

/** A backup that is opened for reading. */
export type BackupFile = AsyncDisposable & {
  path: string
  sizeBytes: number
  header: Header
  /** The lines of the manifest, in order. */
  lines(): AsyncIterable<Line>
  /** The content of a part of this file. @throws BackupRefused when it is not what the manifest says */
  read(part: Part): Bytes
  /**
   * Checks every byte of the file: all contents by their digests, everything between them by what it must be.
   * @param report receives the number of bytes that were checked
   * @throws BackupRefused
   */
  verify(report: (bytes: number) => void): Promise<void>
}

/**
 * Opens a backup.
 * @throws BackupRefused when it is no backup, is cut off, or was made by a newer release
 */
export async function openBackup(path: string): Promise<BackupFile> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new BackupRefused(`cannot read ${path} (${error.code})`)
  })
  try {
    const { size } = await file.stat()
    const trailer = await readTrailer(file, size)
    if (!trailer) throw new BackupRefused('it is no backup, or is cut off')
    if (trailer.format > formatVersion) throw new BackupRefused('a newer release wrote it')
    return await opened(path, file, size, trailer)
  } catch (error) {
    await file.close()
    throw error instanceof BackupRefused ? new BackupRefused(`${path} cannot be used: ${error.message}`) : error
  }
}

const endBytes = BLOCK_BYTES + trailerBytes + tarEnd.length

async function readTrailer(file: FileHandle, size: number): Promise<Trailer | null> {
  if (size < endBytes) return null
  const bytes = await bytesAt(file, size - endBytes + BLOCK_BYTES, trailerBytes)
  return parseTrailer(bytes.toString('utf8'))
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of range(file, at, length)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function* range(file: FileHandle, at: number, length: number): Bytes {
  for (let done = 0; done < length; ) {
    const buffer = Buffer.allocUnsafe(Math.min(readBytes, length - done))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at + done)
    if (bytesRead === 0) throw new BackupRefused('it is cut off')
    yield buffer.subarray(0, bytesRead)
    done += bytesRead
  }
}

/** Passes bytes on, and compares them with their digest. */
async function* hashed(content: Bytes, sha256: string): Bytes {
  const hash = createHash('sha256')
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw damaged()
}

const damaged = () => new BackupRefused('it is damaged')

/** Passes content on, and refuses another size: what a small part becomes is bounded. */
async function* sized(content: Bytes, sizeBytes: number): Bytes {
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > sizeBytes) throw damaged()
    yield chunk
  }
  if (bytes !== sizeBytes) throw damaged()
}

async function* inflated(content: Bytes): Bytes {
  try {
    yield* decompressed(content)
  } catch (error) {
    throw error instanceof BackupRefused ? error : damaged()
  }
}

async function* linesIn(content: Bytes): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of content) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLine) throw damaged()
    yield* lines
  }
  if (rest !== '') throw damaged()
}

async function opened(path: string, file: FileHandle, sizeBytes: number, trailer: Trailer): Promise<BackupFile> {
  const manifest: Part = { ...trailer.manifest, zstd: true }
  if (manifest.at + manifest.storedBytes > sizeBytes) throw damaged()

  function read(part: Part): Bytes {
    const stored = hashed(range(file, part.at, part.storedBytes), part.sha256)
    return sized(part.zstd ? inflated(stored) : stored, part.sizeBytes)
  }

  async function* lines(): AsyncGenerator<Line> {
    const check = orderCheck()
    for await (const text of linesIn(read(manifest))) {
      const line = parseLine(text)
      check(line)
      yield line
    }
  }

  async function headerOf(): Promise<Header> {
    for await (const line of lines()) if (line.kind === 'backup') return line
    throw damaged()
  }

  const header = await headerOf()
  if (header.id !== trailer.id || header.format !== trailer.format) throw damaged()
  const time = entryTime(header)

  async function expectBytes(at: number, expected: Buffer): Promise<number> {
    if (!expected.equals(await bytesAt(file, at, expected.length))) throw damaged()
    return at + expected.length
  }

  /** Checks what surrounds a content. @returns the position after it */
  async function expectEntry(position: number, name: string, { at, storedBytes }: Pick<Part, 'at' | 'storedBytes'>) {
    const contentAt = await expectBytes(position, tarHeader({ path: name, kind: 'file', sizeBytes: storedBytes, time }))
    if (contentAt !== at) throw damaged()
    return expectBytes(at + storedBytes, tarPadding(storedBytes))
  }

  async function expectText(position: number, name: string, text: Buffer): Promise<number> {
    const end = await expectEntry(position, name, { at: position + BLOCK_BYTES, storedBytes: text.length })
    await expectBytes(position + BLOCK_BYTES, text)
    return end
  }

  async function verify(report: (bytes: number) => void): Promise<void> {
    let position = await expectText(0, headerFile, headerText(header))
    let parts = 0
    for await (const line of lines()) {
      if (!hasPart(line) || line.base !== undefined) continue
      parts += 1
      position = await expectEntry(position, partFile(parts), line)
      for await (const _ of read(line));
      report(line.storedBytes)
    }
    position = await expectEntry(position, manifestFile, manifest)
    position = await expectText(position, trailerFile, trailerText(trailer))
    if ((await expectBytes(position, tarEnd)) !== sizeBytes) throw damaged()
  }

  /** Adds the name of the file to a refusal. */
  async function named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw error instanceof BackupRefused ? new BackupRefused(`${path} cannot be used: ${error.message}`) : error
    }
  }

  return {
    path,
    sizeBytes,
    header,
    lines,
    read,
    verify: (report) => named(() => verify(report)),
    [Symbol.asyncDispose]: () => file.close(),
  }
}
