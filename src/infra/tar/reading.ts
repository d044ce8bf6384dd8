/** Reads tar files of others: POSIX ustar with pax headers, and the long names of GNU tar. */
import { ForwardReader } from '../streams/index.ts'
import { BLOCK_BYTES } from './writing.ts'

/** A tar file that is damaged, or has what is not read. The message is shown to users. */
export class TarProblem extends Error {
  override name = 'TarProblem'
}

export type TarLimits = {
  /** Files and folders. */
  entries: number
  /** Bytes of the whole tar file, headers included. */
  sizeBytes: number
}

/** A file or folder of a tar file. */
export type ReadTarEntry = {
  /** Relative, of segments that are neither empty nor `.` or `..`; the folder at the root has an empty one. */
  path: string
  kind: 'file' | 'directory'
  sizeBytes: number
  /** Read before the next entry, or passed over. */
  content: AsyncIterable<Buffer>
}

/** Longer names, and longer extended headers, are refused. */
const longestExtensionBytes = 64 * 1024
const longestPathBytes = 4096

type Header = { name: string; type: string; sizeBytes: number }

const textOf = (block: Buffer, start: number, lengthBytes: number): string => {
  const field = block.subarray(start, start + lengthBytes)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? lengthBytes : end)
}

/** Octal digits, or binary from 8 GiB on. */
function numberOf(block: Buffer, start: number, lengthBytes: number): number {
  const first = block[start] ?? 0
  if (first & 0x80) {
    const value = block.readBigUInt64BE(start + lengthBytes - 8)
    return first === 0x80 && value <= Number.MAX_SAFE_INTEGER ? Number(value) : Number.NaN
  }
  const digits = textOf(block, start, lengthBytes).trim()
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN
}

function headerOf(block: Buffer): Header {
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0)
  const sizeBytes = numberOf(block, 124, 12)
  if (numberOf(block, 148, 8) !== sum || Number.isNaN(sizeBytes)) throw new TarProblem('The archive is damaged')
  const prefix = textOf(block, 257, 6) === 'ustar' ? textOf(block, 345, 155) : ''
  const name = textOf(block, 0, 100)
  return { name: prefix ? `${prefix}/${name}` : name, type: String.fromCharCode(block[156] || 0x30), sizeBytes }
}

/** The records of an extended header: `<length> <key>=<value>\n` each. */
function recordsOf(content: Buffer): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const lengthBytes = Number(content.toString('latin1', at, Math.max(at, space)))
    const end = at + lengthBytes
    const isRecord = space > at && Number.isSafeInteger(lengthBytes) && end > space && end <= content.length
    const record = isRecord ? content.toString('utf8', space + 1, end - 1) : ''
    const equals = record.indexOf('=')
    if (equals < 1) throw new TarProblem('The archive is damaged')
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at = end
  }
  return records
}

/** @throws TarProblem for a path that leads out of the root */
function safePath(text: string): string {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.')
  const isUnsafe = text.startsWith('/') || segments.includes('..') || text.includes('\0')
  if (isUnsafe || Buffer.byteLength(text) > longestPathBytes) {
    throw new TarProblem('The archive has a path that leads out of it')
  }
  return segments.join('/')
}

const kinds: Readonly<Record<string, ReadTarEntry['kind']>> = { '0': 'file', '7': 'file', '5': 'directory' }

/** Reads the extended headers before an entry, and its own. Null at the end of the tar file. */
async function nextHeader(reader: ForwardReader): Promise<Header | null> {
  const extended = new Map<string, string>()
  for (;;) {
    const block = await reader.take(BLOCK_BYTES)
    if (block.length === 0 || block.every((byte) => byte === 0)) return null
    if (block.length < BLOCK_BYTES) throw new TarProblem('The archive ends too early')
    const header = headerOf(block)
    if (!'xgLK'.includes(header.type)) {
      const size = extended.get('size')
      const sizeBytes = size === undefined ? header.sizeBytes : Number(size)
      if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) throw new TarProblem('The archive is damaged')
      return { ...header, name: extended.get('path') ?? header.name, sizeBytes }
    }
    if (header.sizeBytes > longestExtensionBytes) throw new TarProblem('The archive is damaged')
    const content = await reader.take(header.sizeBytes)
    if (content.length < header.sizeBytes) throw new TarProblem('The archive ends too early')
    await reader.skipTo(Math.ceil(reader.position / BLOCK_BYTES) * BLOCK_BYTES)
    if (header.type === 'L') extended.set('path', textOf(content, 0, content.length))
    else if (header.type === 'x') for (const [key, value] of recordsOf(content)) extended.set(key, value)
  }
}

/** The content of an entry. @throws TarProblem where the tar file ends before */
async function* contentOf(reader: ForwardReader, end: number): AsyncGenerator<Buffer> {
  yield* reader.pieces(end - reader.position)
  if (reader.position < end) throw new TarProblem('The archive ends too early')
}

/**
 * Reads a tar file from its beginning to its end. Links, devices, absolute paths and paths with `..` are refused.
 * @throws TarProblem; what the bytes throw
 */
export async function* readTar(
  bytes: AsyncIterable<Buffer>,
  { entries, sizeBytes: largestBytes }: TarLimits,
): AsyncGenerator<ReadTarEntry> {
  const reader = new ForwardReader(bytes)
  for (let count = 1; ; count += 1) {
    const header = await nextHeader(reader)
    if (!header) return
    const kind = kinds[header.type]
    if (!kind) throw new TarProblem('The archive has something else than files and folders')
    if (count > entries) throw new TarProblem(`The archive has more than ${entries} files`)
    const sizeBytes = kind === 'file' ? header.sizeBytes : 0
    const end = reader.position + sizeBytes
    if (end > largestBytes) throw new TarProblem('The archive is too large when it is unpacked')
    const path = safePath(header.name)
    // An older form of folders.
    const isFolder = kind === 'directory' || header.name.endsWith('/') || path === ''
    yield { path, kind: isFolder ? 'directory' : 'file', sizeBytes, content: contentOf(reader, end) }
    await reader.skipTo(Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES)
  }
}
