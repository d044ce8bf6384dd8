/** Detects idle clients: they send no data that git needs, or read no data that git has sent. */
import { PassThrough, Readable } from 'node:stream'
import { handled } from '../../streams/index.ts'
import { GitError } from '../model/errors.ts'

/** How long a client may be idle, in milliseconds. */
export type Patience = {
  /** Without sending. */
  inputMs: number
  /** Without reading. */
  outputMs: number
}

/** The state of a transfer, from the client's point of view. */
export type Watched = {
  /** Whether output waits for the client to read it. */
  owesTaking(): boolean
  /** Whether git waits for input from the client. */
  owesSending(): boolean
  /** Grows with each byte that the client has read. */
  takenBytes(): number
  /** Grows with each byte that the client has sent. */
  receivedBytes(): number
}

/** Number of checks per idle time. */
const LOOKS = 4

/** The longest delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Calls `onIdle` once when the client has been idle for too long, at the latest a quarter of the shorter limit after it.
 * Idle time is counted in checks, so a paused machine does not count against the client. Reading output counts as
 * progress of the input too; sending input does not count as progress of the output.
 * @returns stops watching
 */
export function watchClient(watched: Watched, { inputMs, outputMs }: Patience, onIdle: () => void): () => void {
  const everyMs = Math.min(inputMs, outputMs, LONGEST_MS) / LOOKS
  let taken = watched.takenBytes()
  let received = watched.receivedBytes()
  let outputMissed = 0
  let inputMissed = 0
  const timer = setInterval(() => {
    const hasTaken = watched.takenBytes() !== taken
    const hasSent = watched.receivedBytes() !== received
    taken = watched.takenBytes()
    received = watched.receivedBytes()
    const owesTaking = watched.owesTaking()
    outputMissed = owesTaking && !hasTaken ? outputMissed + 1 : 0
    inputMissed = watched.owesSending() && !owesTaking && !hasTaken && !hasSent ? inputMissed + 1 : 0
    if (outputMissed * everyMs < outputMs && inputMissed * everyMs < inputMs) return
    clearInterval(timer)
    onIdle()
  }, everyMs).unref()
  return () => clearInterval(timer)
}

/** As `watchClient`, for a client that only sends. */
export function watchInput(receivedBytes: () => number, idleMs: number, onIdle: () => void): () => void {
  const watched = { owesTaking: () => false, owesSending: () => true, takenBytes: () => 0, receivedBytes }
  return watchClient(watched, { inputMs: idleMs, outputMs: idleMs }, onIdle)
}

/** As `watchClient`, for a client that only reads. */
export function watchOutput(
  takenBytes: () => number,
  owesTaking: () => boolean,
  idleMs: number,
  onIdle: () => void,
): () => void {
  const watched = { owesTaking, owesSending: () => false, takenBytes, receivedBytes: () => 0 }
  return watchClient(watched, { inputMs: idleMs, outputMs: idleMs }, onIdle)
}

/** The error of a transfer that was ended because its client was idle. */
export function idleClient(): GitError {
  return new GitError('timeout', 'the client was idle for too long')
}

/** How much of a stream is buffered, in bytes. So much of a request must have arrived before it gets a process slot. */
const BUFFER_BYTES = 64 * 1024

/**
 * Reads the start of what a client sends, or all of it when that is less, and pauses the stream.
 * @param take gets each chunk; returns whether it was the last that is needed
 * @throws GitError `timeout` when the client is idle for `idleMs`, `aborted` when it disconnects; what `take` throws
 */
export async function readStart(
  input: Readable,
  idleMs: number,
  take: (chunk: Buffer) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let receivedBytes = 0
  const leave = () => reject(new GitError('aborted', 'the client disconnected'))
  const onEnd = () => resolve()
  const onChunk = (chunk: Buffer) => {
    receivedBytes += chunk.length
    try {
      if (!take(chunk)) return
      // At once: no further chunk may be read.
      input.off('data', onChunk).pause()
      resolve()
    } catch (error) {
      reject(error)
    }
  }
  const stop = watchInput(
    () => receivedBytes,
    idleMs,
    () => reject(idleClient()),
  )
  input.on('data', onChunk).on('end', onEnd).on('error', leave).on('close', leave)
  signal?.addEventListener('abort', leave, { once: true })
  if (input.readableEnded) onEnd()
  else if (input.destroyed || signal?.aborted) leave()
  try {
    await promise
  } finally {
    stop()
    input.off('data', onChunk).off('end', onEnd).off('error', leave).off('close', leave).pause()
    signal?.removeEventListener('abort', leave)
  }
}

/** The start of a request, and the whole of it as a stream. */
export type Begun = { start: Buffer; request: Readable }

/**
 * Waits until a request is complete, or its first 64 KiB have arrived, so that slow clients hold no process slot.
 * @throws GitError as `readStart`
 */
export async function begun(input: Readable, idleMs: number, signal?: AbortSignal): Promise<Begun> {
  const request = handled(new PassThrough({ highWaterMark: BUFFER_BYTES }))
  // The reader notices a failure when the stream ends early.
  input.on('error', () => {})
  let receivedBytes = 0
  const chunks: Buffer[] = []
  const take = (chunk: Buffer) => {
    receivedBytes += chunk.length
    chunks.push(chunk)
    request.write(chunk)
    return receivedBytes >= BUFFER_BYTES
  }
  await readStart(input, idleMs, take, signal)
  return { start: Buffer.concat(chunks), request: followed(request, input) }
}

/** Joins the part of a stream that was read before with the rest. Fails when the rest fails. */
function followed(request: PassThrough, rest: Readable): Readable {
  if (rest.readableEnded) {
    request.end()
    return request
  }
  const breakOff = () => {
    if (!rest.readableEnded) request.destroy()
  }
  rest.once('error', breakOff).once('close', breakOff)
  // Unread input is discarded, so that the client proceeds to reading the answer.
  request.once('close', () => {
    rest.unpipe(request)
    if (!rest.destroyed) rest.resume()
  })
  rest.pipe(request)
  if (rest.destroyed) breakOff()
  return request
}

/**
 * Passes chunks on to a client. A client that does not ask for the next chunk in time destroys the stream.
 * @param onClose called when the stream has ended or was destroyed; it must end the source
 */
export function pacedStream(chunks: AsyncIterable<Buffer>, idleMs: number, onClose: () => void): Readable {
  async function* paced(): AsyncGenerator<Buffer> {
    let takenChunks = 0
    let isOffered = false
    const stop = watchOutput(
      () => takenChunks,
      () => isOffered,
      idleMs,
      () => stream.destroy(idleClient()),
    )
    try {
      for await (const chunk of chunks) {
        isOffered = true
        yield chunk
        isOffered = false
        takenChunks += 1
      }
    } finally {
      stop()
    }
  }
  const stream: Readable = handled(Readable.from(paced(), { objectMode: false, highWaterMark: BUFFER_BYTES }))
  return stream.once('close', onClose)
}
