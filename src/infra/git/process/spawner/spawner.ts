/** The server's side of the process that owns all git processes; the protocol is in `spawner-protocol.ts`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GitError, type GitErrorCode } from '../../model/errors.ts'
import type { GitLog } from '../../model/types.ts'
import { type RecycledOutput, recycledOutput } from './recycled-output.ts'
import { runSpawner } from './spawner-child.ts'
import { type ExitMessage, type FromSpawner, greeting, type RunRequest, type ToSpawner } from './spawner-protocol.ts'

type Defaults = 'stdin' | 'stdout' | 'captureBytes' | 'gate'
/** A command; by default without input, with its output in a socket. */
export type Job = Omit<RunRequest, 'kind' | 'id' | Defaults> &
  Partial<Pick<RunRequest, Defaults>> & {
    signal?: AbortSignal
    /** The output is read by `recycled` below, and not from the socket. */
    recycles?: boolean
  }

/** How a command ended. `exitCode` is null when a signal ended it. */
export type Exit = Pick<ExitMessage, 'exitCode' | 'signal'> & { stderr: string; stdout: Buffer }

export type RunningJob = {
  pid: number
  /** Ending it ends the command's input. Null unless the job asked for a socket. */
  stdin: Socket | null
  stdout: Socket | null
  /** Reads the output. Null unless the job asked for it. */
  recycled: RecycledOutput | null
  /** Rejects with `GitError` `timeout`, `aborted`, `interrupted`, `too_large` when the command was ended by force. */
  exit: Promise<Exit>
  /** Ends the command and its whole process group. */
  kill(): void
  /** Receives the command's messages on descriptor 3. Must be set before the first byte of input is sent. */
  onGate: (data: Uint8Array) => void
  answerGate(data: Uint8Array): void
}

export type Spawner = {
  /** Starts a command; resolves when its streams are connected. @throws GitError `closed`, `aborted`, `interrupted`, `command_failed` */
  start(job: Job): Promise<RunningJob>
  /** How many commands have been started. */
  count(): number
  /** The process id of the spawner, for tests and diagnosis. */
  pid(): number | undefined
  /** Whether commands can be started. Not while a spawner that dies again and again waits for its restart. */
  isThere(): boolean
  /** Ends all commands and the spawner, and removes the socket. */
  close(): Promise<void>
}

/** `socket(7)`: 108 bytes with the final NUL. */
const SOCKET_PATH_BYTES = 107

type Pending = {
  job: RunningJob
  /** Connects the command's streams with the spawner. */
  dial(): void
  ready(): void
  fail(error: GitError): void
  finish(exit: Exit): void
}

/**
 * Starts the spawner in the background.
 * @param options.runtimeDirectory where the private socket directory is made
 * @throws GitError `invalid_input` when that path is too long for a socket
 */
export async function openSpawner(options: {
  runtimeDirectory: string
  log: GitLog
  /** How often a spawner that died is restarted at once, within a minute. Default 20; then with a delay. */
  restartsAMinute?: number
  /** How much memory a command may allocate. Default 0: no limit. */
  memoryBytes?: number
}): Promise<Spawner> {
  const directory = await mkdtemp(join(options.runtimeDirectory, 'fennec-git-'))
  const socketPath = join(directory, 'data')
  if (Buffer.byteLength(socketPath) > SOCKET_PATH_BYTES) {
    await rm(directory, { recursive: true })
    throw new GitError('invalid_input', `the runtime directory's path is too long for a socket: ${socketPath}`)
  }
  const pending = new Map<number, Pending>()
  let isListening = false
  const helper = runSpawner(socketPath, {
    log: options.log,
    restartsAMinute: options.restartsAMinute,
    memoryBytes: options.memoryBytes ?? 0,
    onMessage(message) {
      if (message.kind !== 'listening') return receive(pending, message)
      isListening = true
      for (const entry of pending.values()) entry.dial()
    },
    onDeath() {
      isListening = false
      failAll(pending)
    },
    onUnsent: (id) => pending.get(id)?.fail(new GitError('interrupted', 'the process that runs git is not there')),
  })
  let nextId = 1
  let closed = false

  return {
    start(job) {
      if (closed) return Promise.reject(new GitError('closed', 'git has been closed'))
      const id = nextId++
      const running = startJob(id, job, { socketPath, pending, send: helper.send })
      if (isListening) pending.get(id)?.dial()
      return running
    },
    count: () => nextId - 1,
    pid: helper.pid,
    isThere: helper.isThere,
    async close() {
      if (closed) return
      closed = true
      for (const [id, entry] of pending) {
        helper.send({ kind: 'kill', id })
        entry.fail(new GitError('closed', 'git has been closed'))
      }
      await helper.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

type Connected = { socketPath: string; pending: Map<number, Pending>; send(message: ToSpawner): void }

function startJob(
  id: number,
  { signal, recycles = false, ...given }: Job,
  { socketPath, pending, send }: Connected,
): Promise<RunningJob> {
  const job = { stdin: 'none', stdout: 'socket', captureBytes: 0, gate: false, ...given } as const
  if (signal?.aborted) return Promise.reject(new GitError('aborted', 'aborted before it was started'))
  const { promise: ready, resolve: resolveReady, reject: rejectReady } = Promise.withResolvers<RunningJob>()
  const { promise: exit, resolve: resolveExit, reject: rejectExit } = Promise.withResolvers<Exit>()
  // A caller that only reads the streams need not handle the exit.
  exit.catch(() => {})
  const kill = () => send({ kind: 'kill', id })
  const running: RunningJob = {
    pid: 0,
    stdin: null,
    stdout: null,
    recycled: recycles ? recycledOutput() : null,
    exit,
    kill,
    onGate: () => {},
    answerGate: (data) => send({ kind: 'gate', id, data }),
  }
  const settle = () => {
    pending.delete(id)
    signal?.removeEventListener('abort', kill)
  }
  const fail = (error: GitError) => {
    settle()
    rejectReady(error)
    rejectExit(error)
    running.stdin?.destroy()
    running.stdout?.destroy(error)
  }
  const onUnconnected = (cause: Error) => {
    if (!pending.has(id)) return
    kill()
    fail(new GitError('interrupted', 'the process that runs git could not be reached', { cause }))
  }
  pending.set(id, {
    job: running,
    dial() {
      if (job.stdin === 'socket') running.stdin = dial(socketPath, greeting(id, 'stdin'), null, onUnconnected)
      if (job.stdout !== 'socket') return
      running.stdout = dial(socketPath, greeting(id, 'stdout'), running.recycled, onUnconnected)
    },
    ready: () => resolveReady(running),
    fail,
    finish(result) {
      settle()
      running.stdin?.destroy()
      resolveExit(result)
    },
  })
  signal?.addEventListener('abort', kill, { once: true })
  send({ kind: 'run', id, ...job })
  return ready
}

/** Connects one stream of a command. Nothing may be sent before the command has started. */
function dial(
  path: string,
  line: string,
  recycled: RecycledOutput | null,
  onUnconnected: (error: Error) => void,
): Socket {
  const socket = connect({ path, allowHalfOpen: true, ...(recycled && { onread: recycled.onread }) })
  if (recycled !== null) socket.pause()
  // Later errors appear in the exit code. Without a listener they would end the server.
  socket.once('error', onUnconnected).once('connect', () => socket.off('error', onUnconnected).on('error', () => {}))
  socket.write(line)
  return socket
}

function receive(pending: Map<number, Pending>, message: Exclude<FromSpawner, { kind: 'listening' }>): void {
  const entry = pending.get(message.id)
  if (entry === undefined) return
  if (message.kind === 'gate') entry.job.onGate(message.data)
  else if (message.kind === 'started') {
    entry.job.pid = message.pid
    // Nothing is sent to a standard output. With this direction closed, the socket closes at the end of the data.
    entry.job.stdout?.end()
    entry.ready()
  } else {
    const failure = failureOf(message)
    const { exitCode, signal, stderr, stdout } = message
    if (failure !== null) entry.fail(failure)
    else entry.finish({ exitCode, signal, stderr: textOf(stderr), stdout: Buffer.from(stdout) })
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}

const failures: Record<NonNullable<ExitMessage['reason']>, [code: GitErrorCode, message: string]> = {
  timeout: ['timeout', 'git took too long and was ended'],
  killed: ['aborted', 'git was ended before it was done'],
  output_limit: ['too_large', 'git printed more than may be kept'],
  not_started: ['command_failed', 'git could not be started'],
}

function failureOf({ reason, stderr: bytes }: ExitMessage): GitError | null {
  if (reason === null) return null
  const [code, message] = failures[reason]
  const stderr = textOf(bytes)
  return new GitError(code, reason === 'not_started' ? `${message}: ${stderr}` : message, { stderr })
}

/** Ends the commands of a spawner that died: their exit codes are lost. */
function failAll(pending: Map<number, Pending>): void {
  for (const entry of pending.values()) {
    const fail = () => entry.fail(new GitError('interrupted', 'the process that runs git died'))
    void killOrphans(entry.job.pid).then(fail, fail)
  }
}

/** How long a killed process may take to end: it completes what it asked of the kernel. */
const ORPHAN_MS = 2_000
const ORPHAN_STEP_MS = 5

/** Kills the process group of a command, and waits until it has ended. */
async function killOrphans(pid: number): Promise<void> {
  if (pid === 0 || !signalGroup(pid, 'SIGKILL')) return
  for (let waitedMs = 0; waitedMs < ORPHAN_MS && signalGroup(pid, 0); waitedMs += ORPHAN_STEP_MS)
    await sleep(ORPHAN_STEP_MS)
}

/** @returns whether a process of the group is there; its own parent may take a while to notice its end */
function signalGroup(pid: number, signal: 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
