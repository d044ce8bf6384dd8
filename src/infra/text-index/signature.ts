/**
 * Which sequences of three and of six characters occur in which blocks of text, as a matrix of bits: a row for each bucket of sequences, a
 * column for each block. A block without the bit of a sequence does not contain it; a block with it may. The short ones tell of short
 * phrases; the long ones tell apart texts that have the same words in another order.
 */

/** The sequences of each length are hashed into so many buckets. */
const bucketsOfLength = 32_768
/** Those of three characters come first, then those of six. */
export const buckets = 2 * bucketsOfLength
/** A segment has at most so many blocks. */
export const blocksOfSegment = 2_048
const rowBytes = blocksOfSegment / 8
/** So many rows are read for a phrase: more hardly leave out further blocks. */
const mostRows = 32

/** The bit patterns of a segment while it is written. */
export type Matrix = Uint8Array

export const emptyMatrix = (): Matrix => new Uint8Array(buckets * rowBytes)

/** Letters of ASCII count in lower case. Other letters have several bytes, whose case is not known here. */
const lower = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte))

/** @param three characters as a number */
const bucketOfThree = (three: number): number => Math.imul(three, 0x9e3779b1) >>> 17

/** @param before the three characters before the last three */
function bucketOfSix(before: number, last: number): number {
  const mixed = Math.imul(Math.imul(before, 0x85ebca6b) ^ last, 0x9e3779b1)
  return bucketsOfLength + (Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 17)
}

/** The characters before one in a text and itself, as a number. */
const threeWith = (before: number, byte: number): number => ((before << 8) & 0xffffff) | (lower[byte] as number)

/** Marks the sequences of a text in the column of a block. */
export function mark(matrix: Matrix, block: number, text: Uint8Array): void {
  const [column, bit] = [block >> 3, 1 << (block & 7)]
  const set = (bucket: number) => {
    const at = bucket * rowBytes + column
    matrix[at] = (matrix[at] as number) | bit
  }
  // The three characters that end at this place, and one, two and three places before it.
  let [three, one, two, before] = [0, 0, 0, 0]
  for (let index = 0; index < text.length; index += 1) {
    before = two
    two = one
    one = three
    three = threeWith(three, text[index] as number)
    if (index >= 2) set(bucketOfThree(three))
    if (index >= 5) set(bucketOfSix(before, three))
  }
}

/** The sequences of ASCII in a phrase: the case of others cannot be told. */
function sequencesOf(bytes: Uint8Array, length: 3 | 6): number[] {
  const found: number[] = []
  const threeAt = (end: number) => bytes.subarray(end - 2, end + 1).reduce(threeWith, 0)
  for (let end = length - 1; end < bytes.length; end += 1) {
    if (bytes.subarray(end + 1 - length, end + 1).some((byte) => byte >= 0x80)) continue
    found.push(length === 3 ? bucketOfThree(threeAt(end)) : bucketOfSix(threeAt(end - 3), threeAt(end)))
  }
  return found
}

/** Every third first: neighbours have most of their characters in common, and tell little of each other. */
const apart = (all: readonly number[]): number[] =>
  [0, 1, 2].flatMap((offset) => all.filter((_, index) => index % 3 === offset))

/** The buckets of the sequences of a phrase, each once, those that tell most first; none for a short phrase. */
export function bucketsOf(phrase: string): number[] {
  const bytes = Buffer.from(phrase)
  const all = [...apart(sequencesOf(bytes, 6)), ...apart(sequencesOf(bytes, 3))]
  return [...new Set(all)].slice(0, mostRows)
}

/** The bytes of a row that so many blocks need: a power of two, so that few sizes occur. */
export const widthOf = (blocks: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, Math.ceil(blocks / 8))))

/** The rows of a matrix with the columns of its first blocks, as they are stored. */
export function packed(matrix: Matrix, blocks: number): Buffer {
  const width = widthOf(blocks)
  const rows = Buffer.alloc(buckets * width)
  for (let row = 0; row < buckets; row += 1)
    rows.set(matrix.subarray(row * rowBytes, row * rowBytes + width), row * width)
  return rows
}

/** The matrix of stored rows. */
export function unpacked(rows: Uint8Array): Matrix {
  const matrix = emptyMatrix()
  const width = rows.length / buckets
  for (let row = 0; row < buckets; row += 1) matrix.set(rows.subarray(row * width, (row + 1) * width), row * rowBytes)
  return matrix
}
