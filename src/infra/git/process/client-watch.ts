/** Notices clients that let a transfer wait. */
import { PassThrough, type Readable } from 'node:stream'
import { GitError } from '../model/errors.ts'

/** How long a client may let a transfer wait, in milliseconds. */
export type Patience = {
  /** For what it sends. */
  inputMs: number
  /** For taking what it is sent. */
  outputMs: number
}

/** The two ends of a conversation, as far as its client has to do with them. */
export type Watched = {
  /** Whether something is there for the client that it has not taken. */
  owesTaking(): boolean
  /** Whether the command could go on if the client sent more. */
  owesSending(): boolean
  /** Grows with each byte that the client has taken. */
  takenBytes(): number
  /** Grows with each byte that the client has sent. */
  receivedBytes(): number
}

/** How often a wait is looked at before it is too long. */
const LOOKS = 4

/** What a timer can take, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Calls `onIdle` once when the client has let the transfer wait for too long: between the time that it has and a quarter of the shorter time more.
 * Waits are counted in looks, not in time, so that a machine that stands still is not held against the client. What it takes counts as progress
 * for its input as well, what it sends does not for its output.
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

/** As `watchClient`, while a client has nothing to do but send. */
export function watchInput(receivedBytes: () => number, idleMs: number, onIdle: () => void): () => void {
  const watched = { owesTaking: () => false, owesSending: () => true, takenBytes: () => 0, receivedBytes }
  return watchClient(watched, { inputMs: idleMs, outputMs: idleMs }, onIdle)
}

/** As `watchClient`, while a client has nothing to do but take. */
export function watchOutput(
  takenBytes: () => number,
  owesTaking: () => boolean,
  idleMs: number,
  onIdle: () => void,
): () => void {
  const watched = { owesTaking, owesSending: () => false, takenBytes, receivedBytes: () => 0 }
  return watchClient(watched, { inputMs: idleMs, outputMs: idleMs }, onIdle)
}

/** The error of a transfer that was ended because its client let it wait. */
export function idleClient(): GitError {
  return new GitError('timeout', 'the client let the transfer wait for too long')
}

/** How much of a request is waited for before it gets a place, in bytes. */
const BEGINNING_BYTES = 64 * 1024

/**
 * Waits until a request has come whole, or has begun in earnest: until then it needs no place. Returns it from its beginning.
 * @throws GitError `timeout` when nothing comes for so long, `aborted` when the client goes away
 */
export async function begun(input: Readable, idleMs: number, signal?: AbortSignal): Promise<Readable> {
  const request = new PassThrough({ highWaterMark: BEGINNING_BYTES })
  // It may fail at any time from now on; whoever reads hears of it by its end.
  input.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    let receivedBytes = 0
    const finish = (error?: GitError) => {
      stop()
      input.off('data', onChunk).off('end', onEnd).off('error', leave).off('close', leave)
      signal?.removeEventListener('abort', leave)
      input.pause()
      if (error) reject(error)
      else resolve()
    }
    const leave = () => finish(new GitError('aborted', 'the client went away'))
    const onEnd = () => finish()
    const onChunk = (chunk: Buffer) => {
      receivedBytes += chunk.length
      request.write(chunk)
      if (receivedBytes >= BEGINNING_BYTES) finish()
    }
    const stop = watchInput(
      () => receivedBytes,
      idleMs,
      () => finish(idleClient()),
    )
    input.on('data', onChunk).on('end', onEnd).on('error', leave).on('close', leave)
    signal?.addEventListener('abort', leave, { once: true })
    if (input.readableEnded) finish()
    else if (input.destroyed || signal?.aborted) leave()
  })
  return followed(request, input)
}

/** What was read of a stream, followed by the rest of it. Breaks off where that breaks off. */
function followed(request: PassThrough, rest: Readable): Readable {
  if (rest.readableEnded) {
    request.end()
    return request
  }
  const breakOff = () => {
    if (!rest.readableEnded) request.destroy()
  }
  rest.once('error', breakOff).once('close', breakOff)
  // What nobody wants any more is swallowed, so that the client gets to reading the answer.
  request.once('close', () => {
    rest.unpipe(request)
    if (!rest.destroyed) rest.resume()
  })
  rest.pipe(request)
  if (rest.destroyed) breakOff()
  return request
}

/**
 * The same chunks, for a reader who is a client. One who does not come for the next within the time is given up: `onIdle` is called, which has to
 * end what the chunks come from.
 */
export async function* atClientsPace(
  chunks: AsyncIterable<Buffer>,
  idleMs: number,
  onIdle: () => void,
): AsyncGenerator<Buffer> {
  let takenChunks = 0
  let isOffered = false
  const stop = watchOutput(
    () => takenChunks,
    () => isOffered,
    idleMs,
    onIdle,
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
