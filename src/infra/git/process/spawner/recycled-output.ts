/**
 * Reads a command's output into memory that is used again and again. Chunks with memory of their own cost more than their copying:
 * V8 counts them towards the limit of its heap, and marks the whole heap after each 8 to 16 MB of them.
 */
import type { OnReadOpts, Socket } from 'node:net'

/** Most answers are short. */
const FIRST_BYTES = 16 * 1024
const BLOCK_BYTES = 128 * 1024
/** Two may be taken, and one is read into. */
const BLOCKS = 3
/** With less than this part of a block left, the next one is read into. */
const LEAST_PART = 4

/** @param release to be called when the bytes are no longer needed */
type Take = (chunk: Buffer, release: () => void) => void

export type RecycledOutput = {
  /** To be given to the socket when it is made. */
  onread: OnReadOpts
  /** Begins to read. Nothing is read while too many chunks are taken and not released. */
  flow(socket: Socket, take: Take): void
  /** Stops reading for a moment, so that more is read at once. */
  rest(ms: number): void
  /** From now on reads everything without passing it on. */
  discard(): void
}

type Block = {
  memory: Buffer
  /** How much of it was read into, in bytes. */
  used: number
  /** The number of chunks that are taken. */
  taken: number
}

/** Creates the memory for one socket. */
export function recycledOutput(): RecycledOutput {
  const spare: Block[] = []
  let blockBytes = FIRST_BYTES
  let made = 0
  let block = make()
  /** Never memory that is taken: it is read into as soon as the socket is resumed. */
  let into = block.memory
  let source: Socket | null = null
  let take: Take | null = null
  let isFull = false
  let isResting = false

  function make(): Block {
    made += 1
    return { memory: Buffer.allocUnsafeSlow(blockBytes), used: 0, taken: 0 }
  }

  function proceed(): void {
    if (!isFull && !isResting) source?.resume()
  }

  function next(): void {
    const { memory, used } = block
    if (memory.length - used < memory.length / LEAST_PART) {
      blockBytes = BLOCK_BYTES
      block = spare.pop() ?? make()
      isFull = spare.length === 0 && made >= BLOCKS
    }
    into = block.memory.subarray(block.used)
  }

  function release(from: Block): void {
    from.taken -= 1
    if (from.taken > 0 || from === block) return
    if (from.memory.length < blockBytes) made -= 1
    else spare.push(Object.assign(from, { used: 0 }))
    isFull = false
    proceed()
  }

  function onRead(bytes: number): boolean {
    if (take === null) return true
    const from = block
    const chunk = into.subarray(0, bytes)
    from.used += bytes
    from.taken += 1
    next()
    take(chunk, () => release(from))
    return !isFull && !isResting
  }

  return {
    onread: { buffer: () => into, callback: onRead },
    flow(socket, taker) {
      source = socket
      take = taker
      proceed()
    },
    rest(ms) {
      if (isResting) return
      isResting = true
      source?.pause()
      setTimeout(() => {
        isResting = false
        proceed()
      }, ms)
    },
    discard() {
      take = null
      isFull = false
      isResting = false
      source?.resume()
    },
  }
}
