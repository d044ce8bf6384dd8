/** Bytes of a stream that are looked at before they are passed on. */
export type BufferedBytes = {
  /** Reads until there are so many bytes. @returns what there is, less only at the end of the stream */
  peek(count: number): Promise<Buffer>
  /** Removes and returns bytes that were seen. */
  take(count: number): Buffer
  /** Closes the stream, also before its end. */
  close(): Promise<void>
}

export function bufferedBytes(source: AsyncIterable<Buffer>): BufferedBytes {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  let isOver = false
  return {
    async peek(count) {
      while (held.length < count && !isOver) {
        const { value, done } = await chunks.next()
        if (done) isOver = true
        else held = held.length === 0 ? value : Buffer.concat([held, value])
      }
      return held
    },
    take(count) {
      const taken = held.subarray(0, count)
      held = held.subarray(count)
      return taken
    },
    async close() {
      await chunks.return?.()
    },
  }
}
