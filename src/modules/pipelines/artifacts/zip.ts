import type { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { chunkPassed } from '../../../infra/memory/index.ts'
import { handled, through } from '../../../infra/streams/index.ts'

/** Opens a part of an archive, which has at least one byte; null when the archive is missing. */
export type OpenPart = (firstByte: number, lengthBytes: number) => Promise<Readable | null>

/** A file in an archive. */
type ZipEntry = {
  isCompressed: boolean
  compressedBytes: number
  /** Position of the file's own header. */
  headerOffset: number
}

const endSignature = 0x06054b50
const endBytes = 22
const longestComment = 65_535
const locatorSignature = 0x07064b50
const locatorBytes = 20
const end64Signature = 0x06064b50
const end64Bytes = 56
const entrySignature = 0x02014b50
const entryBytes = 46
export const headerSignature = 0x04034b50
export const headerBytes = 30

/** A longer list of files is not read (contract 04, x.job_artifacts_file). */
const longestDirectory = 64 * 1024 * 1024
/** Stands for a number that is in the extra field of ZIP64. */
const inExtra = 0xffff_ffff

/** Reads a short part of an archive. */
async function read(open: OpenPart, firstByte: number, lengthBytes: number): Promise<Buffer> {
  const stream = lengthBytes > 0 ? await open(firstByte, lengthBytes) : null
  const parts: Buffer[] = []
  for await (const part of stream ?? []) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const number64 = (bytes: Buffer, at: number) => Number(bytes.readBigUInt64LE(at))

/** The place of the end record in the last bytes of an archive; -1 when there is none. */
function endIn(tail: Buffer): number {
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === endSignature && at + endBytes + tail.readUInt16LE(at + 20) === tail.length) return at
  }
  return -1
}

/** The place of the list of files in an archive, in bytes. */
export type Directory = { offset: number; length: number }

/** Where the list of files is; null when the bytes are no archive, or the list is too long. */
export async function findDirectory(open: OpenPart, sizeBytes: number): Promise<Directory | null> {
  const place = await writtenDirectory(open, sizeBytes)
  const isReadable = place !== null && place.length <= longestDirectory && place.offset + place.length <= sizeBytes
  return isReadable ? place : null
}

async function writtenDirectory(open: OpenPart, sizeBytes: number): Promise<Directory | null> {
  const tailBytes = Math.min(sizeBytes, endBytes + longestComment + locatorBytes)
  const tail = await read(open, sizeBytes - tailBytes, tailBytes)
  const end = endIn(tail)
  if (end < 0) return null
  const place = { length: tail.readUInt32LE(end + 12), offset: tail.readUInt32LE(end + 16) }
  const locator = end - locatorBytes
  const isLarge = locator >= 0 && tail.readUInt32LE(locator) === locatorSignature
  if (!isLarge) return place
  const offset = number64(tail, locator + 8)
  if (offset + end64Bytes > sizeBytes) return null
  const record = await read(open, offset, end64Bytes)
  if (record.readUInt32LE(0) !== end64Signature) return null
  return { length: number64(record, 40), offset: number64(record, 48) }
}

/** The numbers of an entry that do not fit into 32 bits, in the order in which they are missing. */
function largeNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === 1) {
      const field = extra.subarray(at + 4, at + 4 + length)
      return Array.from({ length: Math.floor(field.length / 8) }, (_, index) => number64(field, index * 8))
    }
    at += 4 + length
  }
  return []
}

/** An entry of a list of files, where it stands in a piece of the list. */
export class ListedEntry {
  readonly #part: Buffer
  readonly #at: number
  readonly #nameEnd: number
  readonly end: number

  constructor(part: Buffer, at: number) {
    this.#part = part
    this.#at = at
    this.#nameEnd = at + entryBytes + part.readUInt16LE(at + 28)
    this.end = this.#nameEnd + part.readUInt16LE(at + 30) + part.readUInt16LE(at + 32)
  }

  get name(): Buffer {
    return this.#part.subarray(this.#at + entryBytes, this.#nameEnd)
  }

  /** Sizes and position, where the extra field of ZIP64 has those that are missing: in this order. */
  #numbers(): { sizeBytes: number; compressedBytes: number; headerOffset: number } {
    const extraEnd = this.#nameEnd + this.#part.readUInt16LE(this.#at + 30)
    const large = largeNumbers(this.#part.subarray(this.#nameEnd, extraEnd))
    const numberAt = (place: number) => {
      const written = this.#part.readUInt32LE(this.#at + place)
      return written === inExtra ? (large.shift() ?? written) : written
    }
    return { sizeBytes: numberAt(24), compressedBytes: numberAt(20), headerOffset: numberAt(42) }
  }

  get sizeBytes(): number {
    return this.#numbers().sizeBytes
  }

  get isEncrypted(): boolean {
    return (this.#part.readUInt16LE(this.#at + 8) & 1) === 1
  }

  /** The kind of file on Unix, as `S_IFMT` selects it; 0 where the archive does not say. */
  get fileType(): number {
    const isOfUnix = this.#part.readUInt8(this.#at + 5) === 3
    return isOfUnix ? this.#part.readUInt16LE(this.#at + 40) & 0o170000 : 0
  }

  /** The permissions on Unix, as nine bits; 0 where the archive does not say. */
  get permissions(): number {
    const isOfUnix = this.#part.readUInt8(this.#at + 5) === 3
    return isOfUnix ? this.#part.readUInt16LE(this.#at + 40) & 0o777 : 0
  }

  /** Null for a file that is encrypted, or compressed in another way than by deflate. */
  get place(): ZipEntry | null {
    const method = this.#part.readUInt16LE(this.#at + 10)
    if (this.isEncrypted || (method !== 0 && method !== 8)) return null
    const { compressedBytes, headerOffset } = this.#numbers()
    return { isCompressed: method === 8, compressedBytes, headerOffset }
  }
}

/** Looks at an entry. Anything but undefined ends the reading. */
type Look<T> = (entry: ListedEntry) => T | undefined

/** What a part of a list of files has: what was looked for, nothing, or damage; and where its first incomplete entry begins. */
type Searched<T> = { found: T | null | undefined; end: number }

function searchEntries<T>(part: Buffer, look: Look<T>): Searched<T> {
  let at = 0
  while (at + entryBytes <= part.length) {
    if (part.readUInt32LE(at) !== entrySignature) return { found: null, end: at }
    const entry = new ListedEntry(part, at)
    if (entry.end > part.length) break
    const found = look(entry)
    if (found !== undefined) return { found, end: entry.end }
    at = entry.end
  }
  return { found: undefined, end: at }
}

/**
 * Reads the list of files of a ZIP archive without reading the files. Of the list, which may have 64 MiB, only a piece and the beginning of
 * an entry are in memory.
 * @returns what `look` found; null when it found nothing until the end of the list, or until it is damaged
 */
export async function readEntries<T>(open: OpenPart, { offset, length }: Directory, look: Look<T>): Promise<T | null> {
  const stream = length > 0 ? await open(offset, length) : null
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of stream ?? []) {
    const part = rest.length === 0 ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer])
    const { found, end } = searchEntries(part, look)
    if (found !== undefined) return found
    chunkPassed(part.length)
    // A copy, so that the piece is not kept for the sake of its end.
    rest = Buffer.from(part.subarray(end))
  }
  return null
}

/**
 * Finds a file in a ZIP archive by its list of files.
 * @returns null when the archive does not have it, when it is encrypted or compressed in another way than by deflate, or when
 * the list is damaged
 */
export function findZipEntry(open: OpenPart, directory: Directory, path: string): Promise<ZipEntry | null> {
  const wanted = Buffer.from(path)
  return readEntries(open, directory, (entry) => (entry.name.equals(wanted) ? entry.place : undefined))
}

/** Where the bytes of a file begin; null when its header is damaged. */
export async function contentOffset(
  open: OpenPart,
  { headerOffset, compressedBytes }: ZipEntry,
  sizeBytes: number,
): Promise<number | null> {
  if (headerOffset + headerBytes > sizeBytes) return null
  const header = await read(open, headerOffset, headerBytes)
  if (header.readUInt32LE(0) !== headerSignature) return null
  const offset = headerOffset + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28)
  return offset + compressedBytes > sizeBytes ? null : offset
}

/** Decompresses a file while it is read. */
export function inflated(stream: Readable): Readable {
  return through(stream, handled(createInflateRaw()))
}
