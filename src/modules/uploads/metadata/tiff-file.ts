import type { FileHandle } from 'node:fs/promises'
import { ImageProblem } from './problem.ts'

/** Bytes of one value by type; types that do not exist have one. */
const valueBytes: Readonly<Record<number, number>> = {
  3: 2,
  4: 4,
  5: 8,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
}

/** Sizes of the parts of a directory: TIFF has 32-bit positions, BigTIFF has 64-bit ones. */
type Layout = { countBytes: number; entryBytes: number; positionBytes: number }
const classic: Layout = { countBytes: 2, entryBytes: 12, positionBytes: 4 }
const big: Layout = { countBytes: 8, entryBytes: 20, positionBytes: 8 }
const bigVersion = 43

/** An entry of a directory. */
export type Entry = {
  tag: number
  type: number
  count: number
  /** Where the values are in the file; null when they are in the entry itself. */
  valuesAt: number | null
  /** Bytes of all values. */
  valuesBytes: number
  /** The bytes of the entry. */
  bytes: Buffer
}

export type Directory = { at: number; entries: Entry[]; next: number; sizeBytes: number }

/** More entries than any image has. */
const largestDirectory = 65_535

/** A file in the format TIFF or BigTIFF, read where it is asked for. */
export class TiffFile {
  readonly sizeBytes: number
  readonly layout: Layout
  readonly #file: FileHandle
  readonly #isLittle: boolean

  private constructor(file: FileHandle, sizeBytes: number, isLittle: boolean, layout: Layout) {
    this.#file = file
    this.sizeBytes = sizeBytes
    this.#isLittle = isLittle
    this.layout = layout
  }

  /** @throws ImageProblem */
  static async open(file: FileHandle): Promise<TiffFile> {
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0)
    const isLittle = buffer.toString('latin1', 0, 2) === 'II'
    const isBig = (isLittle ? buffer.readUInt16LE(2) : buffer.readUInt16BE(2)) === bigVersion
    const tiff = new TiffFile(file, size, isLittle, isBig ? big : classic)
    if (isBig && tiff.#u16(buffer, 4) !== big.positionBytes) throw new ImageProblem('odd positions')
    return tiff
  }

  #u16(bytes: Buffer, at: number): number {
    return this.#isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
  }

  /** A number of 2, 4 or 8 bytes. */
  number(bytes: Buffer, at: number, sizeBytes: number): number {
    if (sizeBytes === 2) return this.#u16(bytes, at)
    if (sizeBytes === 4) return this.#isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
    return Number(this.#isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  }

  /** Writes the number of entries of a directory, or the position of the next one. */
  write(bytes: Buffer, at: number, value: number, sizeBytes: number): void {
    const whole = Buffer.alloc(8)
    if (this.#isLittle) whole.writeBigUInt64LE(BigInt(value))
    else whole.writeBigUInt64BE(BigInt(value))
    whole.copy(bytes, at, this.#isLittle ? 0 : 8 - sizeBytes, this.#isLittle ? sizeBytes : 8)
  }

  /** @throws ImageProblem when the file ends before */
  async read(at: number, count: number): Promise<Buffer> {
    if (!Number.isSafeInteger(at) || at + count > this.sizeBytes) throw new ImageProblem('a position after the end')
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(count), 0, count, at)
    if (bytesRead < count) throw new ImageProblem('a position after the end')
    return buffer
  }

  /** The position of the first directory. */
  async first(): Promise<number> {
    const { positionBytes } = this.layout
    return this.number(await this.read(positionBytes, positionBytes), 0, positionBytes)
  }

  /** @throws ImageProblem */
  async directory(at: number): Promise<Directory> {
    const { countBytes, entryBytes, positionBytes } = this.layout
    const count = this.number(await this.read(at, countBytes), 0, countBytes)
    if (count > largestDirectory) throw new ImageProblem('too many entries')
    const bytes = await this.read(at + countBytes, count * entryBytes + positionBytes)
    const entries = Array.from({ length: count }, (_, index) =>
      this.#entry(bytes.subarray(index * entryBytes, (index + 1) * entryBytes)),
    )
    const next = this.number(bytes, count * entryBytes, positionBytes)
    return { at, entries, next, sizeBytes: countBytes + bytes.length }
  }

  #entry(bytes: Buffer): Entry {
    const { positionBytes } = this.layout
    const [tag, type] = [this.#u16(bytes, 0), this.#u16(bytes, 2)]
    const count = this.number(bytes, 4, positionBytes)
    const valuesBytes = count * (valueBytes[type] ?? 1)
    const isInside = valuesBytes <= positionBytes
    const valuesAt = isInside ? null : this.number(bytes, 4 + positionBytes, positionBytes)
    return { tag, type, count, valuesAt, valuesBytes, bytes }
  }

  /** The values of an entry as positions of directories. @throws ImageProblem */
  async positions({ type, count, valuesAt, valuesBytes, bytes }: Entry): Promise<number[]> {
    const size = valueBytes[type] ?? 1
    if (count > 1_000 || (size !== 4 && size !== 8)) throw new ImageProblem('odd positions of directories')
    const values =
      valuesAt === null ? bytes.subarray(4 + this.layout.positionBytes) : await this.read(valuesAt, valuesBytes)
    return Array.from({ length: count }, (_, index) => this.number(values, index * size, size))
  }
}
