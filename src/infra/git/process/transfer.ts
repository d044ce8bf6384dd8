/** Carries a conversation between a client and git, with backpressure both ways and bounded memory. */
import type { Readable, Writable } from 'node:stream'
import { GitError } from '../model/errors.ts'
import { idleClient, type Patience, type Watched, watchClient, watchOutput } from './client-watch.ts'
import type { Command } from './command.ts'
import { failure, type Runner } from './runner.ts'
import type { Exit, RunningJob } from './spawner.ts'

export type Carried = { exit: Exit; sentBytes: number; receivedBytes: number }

export type Progress = {
  /** Whether the client has been sent anything: until then it can still be given an error of its own kind. */
  hasWritten: boolean
  /** Whether the client has let the transfer wait for too long, and was given up. */
  isIdle: boolean
}

export type CarryOptions = {
  /** What the client sends; null for a command without input. */
  input: Readable | null
  output: Writable
  /** Written before the first byte of the command's. */
  preface?: string
  /** Set as soon as anything has been written. */
  progress: Progress
  /** For a client that lets the transfer wait. Afterwards it is treated as if it had gone away. */
  patience: Patience
  /** Treated as if the client had gone away. */
  signal?: AbortSignal
  /** What to do when the client has gone away, once. Default: the command's whole group is ended. */
  onGone?: () => void
}

/**
 * Pumps `input` into the command and its output into `output`, until the command has ended and all of its output is written.
 * `output` is left open: the caller knows whether it may end.
 * @throws GitError `aborted` when the client went away and the command was ended, `timeout` also when it let it wait, `interrupted`
 */
export async function carry(job: RunningJob, options: CarryOptions): Promise<Carried> {
  const { input, output, preface, progress, patience, signal, onGone = job.kill } = options
  const { stdin, stdout } = job
  if (stdout === null) throw new GitError('invalid_input', 'the command has no output stream')
  let done = false
  let gone = false
  const leave = () => {
    if (done || gone) return
    gone = true
    // Nobody listens any more, but a command that shall come to its own end must be able to write.
    stdout.unpipe(output)
    stdout.resume()
    onGone()
  }
  const count = { sentBytes: 0, receivedBytes: 0 }
  const detachInput = input === null || stdin === null ? () => {} : feed(input, stdin, count, leave, () => done)
  output.on('error', leave).on('close', leave)
  signal?.addEventListener('abort', leave, { once: true })
  const gather = gathering(stdout, output)
  stdout.on('data', (chunk: Buffer) => {
    if (!progress.hasWritten && !gone && preface !== undefined) output.write(preface)
    progress.hasWritten = true
    count.sentBytes += chunk.length
    if (count.sentBytes > bulkBytes && chunk.length < largeChunkBytes) gather()
  })
  stdout.pipe(output, { end: false })
  const giveUp = () => {
    progress.isIdle = true
    leave()
  }
  const stopWatching = watchClient(watched(input, stdin, output, count), patience, giveUp)
  if (output.destroyed || signal?.aborted) leave()

  try {
    // The exit may come first; the output is complete when its socket has closed.
    const [exit] = await Promise.all([job.exit, closed(stdout)])
    // The command may have been done already, and the rest of its output was for nobody.
    if (progress.isIdle && onGone === job.kill) throw idleClient()
    return { exit, ...count }
  } finally {
    done = true
    stopWatching()
    stdout.unpipe(output)
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
    // A command that ended its input, or has yet to take what came, does not wait for the client.
    owesSending: () => input !== null && !input.readableEnded && stdin?.writableLength === 0,
    takenBytes: () => count.sentBytes - output.writableLength,
    receivedBytes: () => count.receivedBytes,
  }
}

/** Above this a transfer is a bulk one, in which a moment more or less does not matter. */
const bulkBytes = 256 * 1024
/** Behind a chunk of this size there is more already. */
const largeChunkBytes = 32 * 1024
const restMs = 1

/**
 * Makes the call that lets the command's output gather for a moment. Git writes packs in pieces of 8 KiB, and each would cost
 * the event loop a turn, a read and a write of its own. The client's backpressure keeps the last word.
 */
function gathering(stdout: Readable, output: Writable): () => void {
  let isResting = false
  const resume = () => {
    isResting = false
    stdout.resume()
  }
  return () => {
    if (isResting) return
    isResting = true
    stdout.pause()
    setTimeout(() => (output.writableNeedDrain && !output.destroyed ? output.once('drain', resume) : resume()), restMs)
  }
}

/** Pumps the client's bytes into the command. Returns the function that takes all listeners off again. */
function feed(
  input: Readable,
  stdin: Writable,
  count: { receivedBytes: number },
  leave: () => void,
  isDone: () => boolean,
): () => void {
  const onChunk = (chunk: Buffer) => {
    count.receivedBytes += chunk.length
  }
  const onClose = () => {
    if (!input.readableEnded) leave()
  }
  // A command may end without reading everything; then the rest is swallowed, so that the client gets to reading the answer.
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

/** Resolves when a stream has closed. One without content may have done so before anybody looked. */
export function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve()
    else stream.once('close', resolve)
  })
}

/**
 * Ends a stream and waits until everything is handed over. Resolves as well when the other side has gone, or is given up: then the stream is
 * destroyed.
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
 * Runs `serve`. When it fails because the client let it wait, the error is GitError `timeout`. When it fails after something has been written, `output` is destroyed with the error, so that a client never takes a broken
 * answer for a whole one; before that, `output` is left to the caller, who may have a better answer.
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

/** How long clients of this runner may let a transfer wait. */
export function patienceOf({ limits }: Runner, sends: 'request' | 'push' = 'request'): Patience {
  const { clientIdleMs, pushInputIdleMs } = limits
  return { inputMs: sends === 'push' ? pushInputIdleMs : clientIdleMs, outputMs: clientIdleMs }
}

/** The `Git-Protocol` header's form: `version=2`, followed by keys that git ignores. Anything else is not passed on. */
const PROTOCOL = /^version=[012](?::[a-z0-9._=-]{1,64}){0,8}$/i

/** The variable that tells git which protocol the client speaks. */
export function protocolEnvironment(protocol: string | undefined): Record<string, string> {
  return protocol !== undefined && PROTOCOL.test(protocol) ? { GIT_PROTOCOL: protocol } : {}
}
