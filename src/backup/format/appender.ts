import type { FileHandle } from 'node:fs/promises'

/** Appends to a file in large pieces. */
export type Appender = {
  /** Where the next byte goes. */
  readonly position: number
  append(chunk: Uint8Array): Promise<void>
  /** Replaces bytes that were appended. */
  patch(at: number, chunk: Uint8Array): Promise<void>
  flush(): Promise<void>
}

const pieceBytes = 1024 * 1024

/** Creates an appender of an empty file. */
export function appenderOf(file: FileHandle): Appender {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let position = 0

  async function writeAt(at: number, bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
    }
  }

  async function flush(): Promise<void> {
    const bytes = Buffer.concat(pending)
    const at = position - pendingBytes
    pending = []
    pendingBytes = 0
    await writeAt(at, bytes)
  }

  return {
    get position() {
      return position
    },
    async append(chunk) {
      pending.push(chunk)
      pendingBytes += chunk.length
      position += chunk.length
      if (pendingBytes >= pieceBytes) await flush()
    },
    async patch(at, chunk) {
      await flush()
      await writeAt(at, chunk)
    },
    flush,
  }
}
