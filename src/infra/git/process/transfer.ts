/** Pipes data between a client and git, with backpressure in both directions and bounded memory. */
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { chunkPassed } from '../../memory/index.ts'
import { GitError } from '../model/errors.ts'
import { idleClient, type Patience, type Watched, watchClient, watchOutput } from './client-watch.ts'
import type { Command } from './command.ts'
import { failure, type Runner } from './runner.ts'
import type { Exit, RunningJob } from './spawner/spawner.ts'

type Carried = { exit: Exit; sentBytes: number }

/** How far a transfer has come. */
export type Progress = {
  /** Whether output was sent to the client. Until then the caller can still answer with an error. */
  hasWritten: boolean
  /** Whether the client was idle for too long. */
  isIdle: boolean
}

type CarryOptions = {
  /** Data from the client; null for a command without input. */
  input: Readable | null
  output: Writable
  /** Written before the first byte of the command's output. */
  preface?: string
  /** Updated while the transfer runs. */
  progress: Progress
  /** Idle limits. An idle client is treated as disconnected. */
  patience: Patience
  /** When it fires, the client is treated as disconnected. */
  signal?: AbortSignal
  /** Called once when the client has disconnected. Default: ends the command's process group. */
  onGone?: () => void
}

/**
 * Pipes `input` into the command and its output into `output`, until the command has ended and all its output is written.
 * `output` stays open: the caller decides whether it may end.
 * @throws GitError `aborted` when the client disconnected, `timeout` when it was idle, `interrupted`
 */
export async function carry(job: RunningJob, options: CarryOptions): Promise<Carried> {
  const { input, output, preface, progress, patience, signal, onGone = job.kill } = options
  const { stdin, stdout } = job
  if (stdout === null) throw new GitError('invalid_input', 'the command has no output stream')
  let done = false
  let gone = false
  const count = { sentBytes: 0, receivedBytes: 0 }
  const flow = beginFlow(job, stdout, output, (chunk) => {
    if (!progress.hasWritten && !gone && preface !== undefined) output.write(preface)
    progress.hasWritten = true
    count.sentBytes += chunk.length
  })
  const leave = () => {
    if (done || gone) return
    gone = true
    // A command that may finish by itself must still be able to write.
    flow.discard()
    onGone()
  }
  // The client may be gone already: then `leave` is called before this returns.
  const detachInput = input === null || stdin === null ? () => {} : feed(input, stdin, count, leave, () => done)
  output.on('error', leave).on('close', leave)
  signal?.addEventListener('abort', leave, { once: true })
  const giveUp = () => {
    progress.isIdle = true
    leave()
  }
  const stopWatching = watchClient(watched(input, stdin, output, count), patience, giveUp)
  if (output.destroyed || signal?.aborted) leave()

  try {
    // The exit may come first; the output is complete when its socket has closed.
    const [exit] = await Promise.all([job.exit, closed(stdout)])
    // The command may have ended before; the client did not read the rest of its output.
    if (progress.isIdle && onGone === job.kill) throw idleClient()
    return { exit, sentBytes: count.sentBytes }
  } finally {
    done = true
    stopWatching()
    flow.discard()
    stdout.destroy()
    detachInput()
    output.off('error', leave).off('close', leave)
    signal?.removeEventListener('abort', leave)
  }
}

function watched(
  input: Readable | null,
  stdin: Writable | null,
  output: Writable,
  count: { sentBytes: number; receivedBytes: number },
): Watched {
  return {
    owesTaking: () => output.writableLength > 0,
    // A command that closed its input, or has not read it all, does not wait for the client.
    owesSending: () => input !== null && !input.readableEnded && stdin?.writableLength === 0,
    takenBytes: () => count.sentBytes - output.writableLength,
    receivedBytes: () => count.receivedBytes,
  }
}

/** Larger transfers tolerate a short delay. */
const bulkBytes = 256 * 1024
/** After a chunk of this size, more output is available at once. */
const largeChunkBytes = 32 * 1024
const restMs = 1

/**
 * Writes a command's output to the client, at the client's pace. Recycled output is read in large chunks: git writes packs in
 * pieces of 8 KiB, each of which would cost a read and a write, so a transfer rests for a moment after a small one.
 * @param onChunk called before each chunk is written
 */
function beginFlow(
  { recycled }: RunningJob,
  stdout: Socket,
  output: Writable,
  onChunk: (chunk: Buffer) => void,
): { discard(): void } {
  if (recycled === null) {
    stdout.on('data', onChunk).pipe(output, { end: false })
    return { discard: () => stdout.unpipe(output).resume() }
  }
  let readBytes = 0
  recycled.flow(stdout, (chunk, release) => {
    readBytes += chunk.length
    onChunk(chunk)
    output.write(chunk, release)
    if (readBytes > bulkBytes && chunk.length < largeChunkBytes) recycled.rest(restMs)
  })
  return recycled
}

/** Pipes the client's bytes into the command. @returns the function that removes all listeners */
function feed(
  input: Readable,
  stdin: Writable,
  count: { receivedBytes: number },
  leave: () => void,
  isDone: () => boolean,
): () => void {
  const onChunk = (chunk: Buffer) => {
    count.receivedBytes += chunk.length
    chunkPassed(chunk.length)
  }
  const onClose = () => {
    if (!input.readableEnded) leave()
  }
  // A command may end without reading all input. The rest is discarded, so that the client proceeds to reading the answer.
  const swallow = () => {
    input.unpipe(stdin)
    if (!isDone() && !input.destroyed) input.resume()
  }
  input.on('data', onChunk).on('error', leave).on('close', onClose)
  stdin.on('error', swallow).on('close', swallow)
  input.pipe(stdin)
  if (input.destroyed) onClose()
  return () => {
    input.unpipe(stdin)
    input.off('data', onChunk).off('error', leave).off('close', onClose)
  }
}

/** Resolves when a stream has closed. A stream without content may be closed before this is called. */
export function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve()
    else stream.once('close', resolve)
  })
}

/**
 * Ends a stream and waits until all data is written. Also resolves when the client has disconnected or is idle: then the
 * stream is destroyed.
 */
export function endOutput(output: Writable, { outputMs }: Patience, progress: Progress): Promise<void> {
  return new Promise((resolve) => {
    if (output.destroyed) {
      resolve()
      return
    }
    const giveUp = () => {
      output.once('error', () => {})
      output.destroy(idleClient())
    }
    if (progress.isIdle) giveUp()
    const takenBytes = () => -output.writableLength
    const stopWatching = watchOutput(takenBytes, () => true, outputMs, giveUp)
    const finish = () => {
      stopWatching()
      resolve()
    }
    output.once('close', finish)
    if (!output.destroyed) output.end(finish)
  })
}

/**
 * Runs `serve`. When it fails after output was sent, `output` is destroyed, so that a client never takes a truncated answer
 * for a complete one. Before that, `output` is left to the caller, which can still answer with an error.
 * @throws GitError `timeout` when the client was idle; what `serve` throws
 */
export async function destroyingOnFailure<Result>(
  output: Writable,
  serve: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress: Progress = { hasWritten: false, isIdle: false }
  try {
    return await serve(progress)
  } catch (cause) {
    const error = progress.isIdle && cause instanceof GitError && cause.code === 'aborted' ? idleClient() : cause
    if (progress.hasWritten) {
      output.once('error', () => {})
      output.destroy(error instanceof Error ? error : new Error(String(error)))
    }
    throw error
  }
}

/** How git reports a request that its protocol does not allow, or that ends too early. */
const PROTOCOL_FAULT =
  /^fatal: (?:(?:git [a-z-]+: )?protocol error|the remote end hung up|(?:unknown|mismatched) (?:capability|object format)|invalid command|no command requested)/m

/** The error of a transfer that git ended: as `failure`, but `protocol_error` where the client's request was at fault. */
export function transferFailure(command: Command, exit: Exit): GitError {
  const { stderr } = exit
  if (exit.exitCode !== 128 || !PROTOCOL_FAULT.test(stderr)) return failure(command, exit)
  const message = `git ${command.subcommand} rejected the client's request: ${stderr.trim()}`
  return new GitError('protocol_error', message, { stderr })
}

/** The idle limits of clients. */
export function patienceOf({ limits }: Runner, sends: 'request' | 'push' = 'request'): Patience {
  const { clientIdleMs, pushInputIdleMs } = limits
  return { inputMs: sends === 'push' ? pushInputIdleMs : clientIdleMs, outputMs: clientIdleMs }
}

/** The form of the `Git-Protocol` header: `version=2`, followed by keys that git ignores. Other values are not passed on. */
const PROTOCOL = /^version=[012](?::[a-z0-9._=-]{1,64}){0,8}$/i

/** The environment variable with the protocol version of the client. */
export function protocolEnvironment(protocol: string | undefined): Record<string, string> {
  return protocol !== undefined && PROTOCOL.test(protocol) ? { GIT_PROTOCOL: protocol } : {}
}
