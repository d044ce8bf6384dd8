import { pipeline, type Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

/** Reads a part of an archive. */
export type ReadPart = (firstByte: number, lengthBytes: number) => Promise<Buffer>

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
const headerSignature = 0x04034b50
const headerBytes = 30

/** A list of files is read whole; a longer one is not read. */
const longestDirectory = 64 * 1024 * 1024
/** Stands for a number that is in the extra field of ZIP64. */
const inExtra = 0xffff_ffff

const number64 = (bytes: Buffer, at: number) => Number(bytes.readBigUInt64LE(at))

/** The place of the end record in the last bytes of an archive; -1 when there is none. */
function endIn(tail: Buffer): number {
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === endSignature && at + endBytes + tail.readUInt16LE(at + 20) === tail.length) return at
  }
  return -1
}

/** Where the list of files is; null when the bytes are no archive. */
async function directoryOf(read: ReadPart, sizeBytes: number): Promise<{ offset: number; length: number } | null> {
  const tailBytes = Math.min(sizeBytes, endBytes + longestComment + locatorBytes)
  const tail = await read(sizeBytes - tailBytes, tailBytes)
  const end = endIn(tail)
  if (end < 0) return null
  const place = { length: tail.readUInt32LE(end + 12), offset: tail.readUInt32LE(end + 16) }
  const locator = end - locatorBytes
  const isLarge = locator >= 0 && tail.readUInt32LE(locator) === locatorSignature
  if (!isLarge) return place
  const offset = number64(tail, locator + 8)
  if (offset + end64Bytes > sizeBytes) return null
  const record = await read(offset, end64Bytes)
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

function entryAt(directory: Buffer, at: number, extra: Buffer): ZipEntry | null {
  const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)]
  const isEncrypted = (flags & 1) === 1
  if (isEncrypted || (method !== 0 && method !== 8)) return null
  const large = largeNumbers(extra)
  const numberOf = (written: number) => (written === inExtra ? (large.shift() ?? written) : written)
  // The order of the extra field: size, compressed size, offset.
  numberOf(directory.readUInt32LE(at + 24))
  const compressedBytes = numberOf(directory.readUInt32LE(at + 20))
  const headerOffset = numberOf(directory.readUInt32LE(at + 42))
  return { isCompressed: method === 8, compressedBytes, headerOffset }
}

/**
 * Finds a file in a ZIP archive by its list of files, without reading the files.
 * @returns null when the archive does not have it, when it is encrypted or compressed in another way than by deflate, or when
 * the bytes are no archive
 */
export async function findZipEntry(read: ReadPart, sizeBytes: number, path: string): Promise<ZipEntry | null> {
  const place = await directoryOf(read, sizeBytes)
  if (!place || place.length > longestDirectory || place.offset + place.length > sizeBytes) return null
  const directory = await read(place.offset, place.length)
  const wanted = Buffer.from(path)
  for (let at = 0; at + entryBytes <= directory.length; ) {
    if (directory.readUInt32LE(at) !== entrySignature) return null
    const lengths = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset))
    const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = lengths
    const name = directory.subarray(at + entryBytes, at + entryBytes + nameBytes)
    const extraStart = at + entryBytes + nameBytes
    if (name.equals(wanted)) return entryAt(directory, at, directory.subarray(extraStart, extraStart + extraBytes))
    at = extraStart + extraBytes + commentBytes
  }
  return null
}

/** Where the bytes of a file begin; null when its header is damaged. */
export async function contentOffset(
  read: ReadPart,
  { headerOffset, compressedBytes }: ZipEntry,
  sizeBytes: number,
): Promise<number | null> {
  if (headerOffset + headerBytes > sizeBytes) return null
  const header = await read(headerOffset, headerBytes)
  if (header.readUInt32LE(0) !== headerSignature) return null
  const offset = headerOffset + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28)
  return offset + compressedBytes > sizeBytes ? null : offset
}

/** Decompresses a file while it is read. */
export function inflated(stream: Readable): Readable {
  // An error ends the returned stream.
  return pipeline(stream, createInflateRaw(), () => {})
}
