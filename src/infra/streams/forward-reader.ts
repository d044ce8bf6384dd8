import { chunkPassed } from '../memory/index.ts'

/** Reads a stream from its beginning to its end, in pieces of sizes that the caller asks for. */
export class ForwardReader {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  /** How many bytes were read. */
  position = 0

  constructor(content: AsyncIterable<Buffer>) {
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** The next bytes of the stream, at most so many; empty at its end. */
  async #next(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) return this.#rest
      chunkPassed(value.length)
      this.#rest = value
    }
    const piece = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(piece.length)
    this.position += piece.length
    return piece
  }

  /** The next bytes in pieces; fewer than asked for where the stream ends before. */
  async *pieces(lengthBytes: number): AsyncGenerator<Buffer> {
    for (let left = lengthBytes; left > 0; ) {
      const piece = await this.#next(left)
      if (piece.length === 0) return
      left -= piece.length
      yield piece
    }
  }

  /** The next bytes as one buffer; shorter where the stream ends before. For short parts only. */
  async take(lengthBytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const piece of this.pieces(lengthBytes)) parts.push(piece)
    return Buffer.concat(parts)
  }

  /** Passes over everything before a position, which is not behind this one. */
  async skipTo(position: number): Promise<void> {
    for await (const _ of this.pieces(position - this.position)) {
      // Nothing is done with it.
    }
  }
}
