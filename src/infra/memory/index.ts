/**
 * Frees the memory of chunks that have passed through the process. Node frees it when V8 collects the chunk's object. These objects
 * are so small that V8 rarely collects young ones; it counts their memory, however, and marks the whole heap after each 8 to 16 MB,
 * which takes many times as long as to collect the young objects.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * How many bytes may pass before the young objects are collected, which takes about a millisecond. Less than the 8 MB by which V8 lets
 * its heap grow at least before it marks it.
 */
const PORTION_BYTES = 4 * 1024 * 1024

type Collect = (options: { type: 'minor' }) => void

let passedBytes = 0
let collect: Collect | null = null

/** V8's collector has no other way in. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  const found: Collect = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return found
}

/** To be called for each chunk of a stream that has memory of its own. */
export function chunkPassed(bytes: number): void {
  passedBytes += bytes
  if (passedBytes < PORTION_BYTES) return
  passedBytes = 0
  collect ??= collector()
  collect({ type: 'minor' })
}
