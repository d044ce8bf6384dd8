/** Tags of a first directory of EXIF (EXIF 2.32, section 4.6.4) that decide how an image is shown, not where it came from. */
const orientation = 0x0112
const xResolution = 0x011a
const yResolution = 0x011b
const resolutionUnit = 0x0128
const short = 3
const rational = 5
const entryBytes = 12

/** Values of the kept tags, big-endian, as an entry and its data hold them. */
type Kept = { tag: number; type: typeof short | typeof rational; value: Buffer }

/** Reads numbers in the byte order of the data. */
type Numbers = { u16(at: number): number; u32(at: number): number }

function numbersOf(data: Buffer): Numbers | null {
  const mark = data.toString('latin1', 0, 4)
  if (mark === 'II*\0') return { u16: (at) => data.readUInt16LE(at), u32: (at) => data.readUInt32LE(at) }
  if (mark === 'MM\0*') return { u16: (at) => data.readUInt16BE(at), u32: (at) => data.readUInt32BE(at) }
  return null
}

function shortValue(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt16BE(value)
  return bytes
}

function rationalValue(numerator: number, denominator: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(numerator)
  bytes.writeUInt32BE(denominator, 4)
  return bytes
}

/** The entry at a position when it is one to keep; null for others, and for invalid ones. */
function keptAt(data: Buffer, numbers: Numbers, at: number): Kept | null {
  const [tag, type, count] = [numbers.u16(at), numbers.u16(at + 2), numbers.u32(at + 4)]
  if (count !== 1) return null
  if (type === short && (tag === orientation || tag === resolutionUnit)) {
    const value = numbers.u16(at + 8)
    const largest = tag === orientation ? 8 : 3
    return value >= 1 && value <= largest ? { tag, type, value: shortValue(value) } : null
  }
  if (type !== rational || (tag !== xResolution && tag !== yResolution)) return null
  const place = numbers.u32(at + 8)
  if (place + 8 > data.length) return null
  return { tag, type, value: rationalValue(numbers.u32(place), numbers.u32(place + 4)) }
}

function keptOf(data: Buffer): Kept[] {
  const numbers = numbersOf(data)
  if (!numbers || data.length < 8) return []
  const start = numbers.u32(4)
  if (start + 2 > data.length) return []
  const kept = new Map<number, Kept>()
  const count = Math.min(numbers.u16(start), Math.floor((data.length - start - 2) / entryBytes))
  for (let index = 0; index < count; index++) {
    const entry = keptAt(data, numbers, start + 2 + index * entryBytes)
    if (entry && !kept.has(entry.tag)) kept.set(entry.tag, entry)
  }
  return [...kept.values()].sort((left, right) => left.tag - right.tag)
}

/**
 * EXIF data with orientation and resolution only.
 * @param data what follows `Exif\0\0`
 * @returns null when there is neither, or the data cannot be read
 */
export function minimalExif(data: Buffer): Buffer | null {
  const kept = keptOf(data)
  if (kept.length === 0) return null
  const headerBytes = 8
  const directory = Buffer.alloc(2 + kept.length * entryBytes + 4)
  directory.writeUInt16BE(kept.length)
  const values: Buffer[] = []
  let place = headerBytes + directory.length
  for (const [index, { tag, type, value }] of kept.entries()) {
    const at = 2 + index * entryBytes
    directory.writeUInt16BE(tag, at)
    directory.writeUInt16BE(type, at + 2)
    directory.writeUInt32BE(1, at + 4)
    if (type === short) value.copy(directory, at + 8)
    else {
      directory.writeUInt32BE(place, at + 8)
      values.push(value)
      place += value.length
    }
  }
  return Buffer.concat([Buffer.from('MM\0*\0\0\0\u0008', 'latin1'), directory, ...values])
}
