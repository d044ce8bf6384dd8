const FIRST_BYTES = 64 * 1024

/** Cuts chunks into parts of one size. */
export interface Cutter {
  /** Takes a chunk, and yields the parts that became complete. */
  push(chunk: Uint8Array): Generator<Uint8Array>
  /** The bytes after the last complete part; the cutter is empty afterwards. */
  rest(): Uint8Array
}

/**
 * Creates a cutter. It copies the chunks: a retained chunk of one byte would keep the whole buffer of its socket.
 * The buffer of a part grows with its content, so that many slow uploads need little memory.
 */
export function createCutter(partBytes: number): Cutter {
  let buffer = Buffer.alloc(0)
  let filled = 0

  function reserve(bytes: number): void {
    if (buffer.length >= bytes) return
    const larger = Buffer.allocUnsafeSlow(Math.min(partBytes, Math.max(FIRST_BYTES, buffer.length * 2, bytes)))
    buffer.copy(larger, 0, 0, filled)
    buffer = larger
  }

  function take(): Uint8Array {
    const part = buffer.subarray(0, filled)
    buffer = Buffer.alloc(0)
    filled = 0
    return part
  }

  return {
    *push(chunk) {
      for (let start = 0; start < chunk.length; ) {
        const piece = chunk.subarray(start, start + partBytes - filled)
        reserve(filled + piece.length)
        buffer.set(piece, filled)
        filled += piece.length
        start += piece.length
        if (filled === partBytes) yield take()
      }
    },
    rest: take,
  }
}
