/**
 * Which trigrams occur in which blocks of text, as a matrix of bits: a row for each bucket of trigrams, a column for each block.
 * A block without the bit of a trigram does not contain it; a block with it may.
 */

/** Trigrams are hashed into so many buckets. */
export const buckets = 65_536
/** A segment has at most so many blocks. */
export const blocksOfSegment = 1_024
const rowBytes = blocksOfSegment / 8

/** The bit patterns of a segment while it is written. */
export type Matrix = Uint8Array

export const emptyMatrix = (): Matrix => new Uint8Array(buckets * rowBytes)

/** Letters of ASCII count in lower case. Other letters have several bytes, whose case is not known here. */
const lower = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte))

const bucketOf = (first: number, second: number, third: number): number =>
  Math.imul((first << 16) | (second << 8) | third, 0x9e3779b1) >>> 16

/** Marks the trigrams of a text in the column of a block. */
export function mark(matrix: Matrix, block: number, text: Uint8Array): void {
  const [column, bit] = [block >> 3, 1 << (block & 7)]
  let first = lower[text[0] ?? 0] as number
  let second = lower[text[1] ?? 0] as number
  for (let index = 2; index < text.length; index += 1) {
    const third = lower[text[index] as number] as number
    const at = bucketOf(first, second, third) * rowBytes + column
    matrix[at] = (matrix[at] as number) | bit
    first = second
    second = third
  }
}

/** The buckets of the trigrams of a phrase whose case can be told, each once; none for a short phrase. */
export function bucketsOf(phrase: string): number[] {
  const bytes = Buffer.from(phrase)
  const found = new Set<number>()
  for (let index = 2; index < bytes.length; index += 1) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(index - 2, index + 1)
    if (first < 0x80 && second < 0x80 && third < 0x80) {
      found.add(bucketOf(lower[first] as number, lower[second] as number, lower[third] as number))
    }
  }
  return [...found]
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
