/**
 * The process that owns all git processes. Forking from the process that serves HTTP would block it in proportion to its
 * memory (design §5). This process is small, imports nothing large, has no state but the running commands, and ends with its
 * parent. Argument: the path at which it listens for data connections.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { handled } from '../../../streams/index.ts'
import { listenForStreams } from './data-sockets.ts'
import {
  type ExitMessage,
  type FromSpawner,
  greeting,
  type RunRequest,
  type StreamName,
  type ToSpawner,
} from './spawner-protocol.ts'

/** How long a process group may take to clean up (lock files, quarantine) before it is killed. */
const TERMINATION_GRACE_MS = 2_000
/** How long after a command's exit a descendant may hold its pipes open. */
const PIPE_GRACE_MS = 1_000

type Running = {
  child: ChildProcess | null
  gate: Duplex | null
  reason: ExitMessage['reason']
  /** Called when the command is ended by force before it was started. */
  abandon(): void
  end(): void
}

const socketPath = process.argv[2] ?? ''
const running = new Map<number, Running>()

function tell(message: FromSpawner): void {
  // When the parent has ended, the event `disconnect` reports it.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

/** Data connections of requests that have not been read yet, by the line that opened them. */
const early = new Map<string, Socket>()
/** What waits for a data connection. */
const awaited = new Map<string, (socket: Socket) => void>()

function onStream(id: number, name: StreamName, socket: Socket): void {
  const key = greeting(id, name)
  // A broken connection is seen by the command and by the server.
  socket.on('error', () => {})
  const take = awaited.get(key)
  if (take !== undefined) {
    take(socket)
    return
  }
  early.set(key, socket)
  // The server sends nothing yet; what can be read is that it has given up.
  socket.once('end', () => early.delete(key) && socket.destroy()).resume()
}

/** Waits for the data connection of a stream. It is paused: this process must not read the server's data. */
function streamOf(id: number, name: StreamName): Promise<Socket> {
  const key = greeting(id, name)
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const take = (socket: Socket) => {
    awaited.delete(key)
    early.delete(key)
    resolve(socket.pause())
  }
  awaited.set(key, take)
  const socket = early.get(key)
  if (socket !== undefined) take(socket)
  return promise
}

async function run(request: RunRequest): Promise<void> {
  const { promise: abandoned, reject } = Promise.withResolvers<never>()
  abandoned.catch(() => {})
  const abandon = () => reject(new Error('ended before it was started'))
  const entry: Running = { child: null, gate: null, reason: null, abandon, end: () => {} }
  running.set(request.id, entry)
  const sockets: Socket[] = []
  const connected = async (name: StreamName) => {
    const socket = await Promise.race([streamOf(request.id, name), abandoned])
    sockets.push(socket)
    return socket
  }
  try {
    const stdin = request.stdin === 'socket' ? await connected('stdin') : null
    const stdout = request.stdout === 'socket' ? await connected('stdout') : null
    if (entry.reason !== null) throw new Error('ended before it was started')
    start(request, entry, [stdin ?? (request.stdin === 'given' ? 'pipe' : 'ignore'), stdout ?? 'pipe', 'pipe'])
  } catch (error) {
    notStarted(request.id, entry, error)
  } finally {
    for (const name of ['stdin', 'stdout'] as const) awaited.delete(greeting(request.id, name))
    // The command has its own copies. With ours open, the server would not see the end of the stream.
    for (const socket of sockets) socket.destroy()
  }
}

function notStarted(id: number, entry: Running, error: unknown): void {
  running.delete(id)
  const stderr = Buffer.from(error instanceof Error ? error.message : String(error))
  const reason = entry.reason ?? 'not_started'
  tell({ kind: 'exit', id, exitCode: null, signal: null, stderr, stdout: Buffer.alloc(0), reason })
}

function start(request: RunRequest, entry: Running, stdio: Extract<StdioOptions, unknown[]>): void {
  const child = spawn(request.binary, request.arguments, {
    cwd: '/',
    env: request.environment,
    // Its own process group, so that all its descendants can be ended at once.
    detached: true,
    stdio: request.gate ? [...stdio, 'pipe'] : stdio,
  })
  child.once('error', (error) => {
    if (child.pid === undefined) notStarted(request.id, entry, error)
  })
  // The error follows. Without file descriptors the command has no streams either.
  if (child.pid === undefined) return
  entry.child = child
  // A pipe that cannot be read ends the output, not this process.
  for (const stream of child.stdio) if (stream) handled(stream)
  const stderr = keepTail(child.stderr, request.stderrBytes)
  const stdout = capture(child.stdout, request.captureBytes, () => end(entry, 'output_limit'))
  if (request.gate) entry.gate = openGate(request.id, child)
  if (request.stdin === 'given') child.stdin?.end(request.input)

  const timer = setTimeout(() => end(entry, 'timeout'), request.timeoutMs)
  child.once('spawn', () => tell({ kind: 'started', id: request.id, pid: child.pid ?? 0 }))
  child.once('exit', () => {
    clearTimeout(timer)
    const pipes = setTimeout(() => killGroup(child, 'SIGKILL'), PIPE_GRACE_MS)
    child.once('close', () => clearTimeout(pipes))
  })
  child.once('close', (exitCode, signal) => {
    if (child.pid === undefined) return
    running.delete(request.id)
    entry.end()
    // Ends the descendants that the leader left behind.
    if (entry.reason !== null) killGroup(child, 'SIGKILL')
    tell({ kind: 'exit', id: request.id, exitCode, signal, stderr: stderr(), stdout: stdout(), reason: entry.reason })
  })
}

function openGate(id: number, child: ChildProcess): Duplex {
  const gate = child.stdio[3] as Duplex
  gate.on('data', (data: Buffer) => tell({ kind: 'gate', id, data }))
  return gate
}

/** Collects the last `bytes` of a stream. */
function keepTail(stream: Readable | null, bytes: number): () => Buffer {
  let tail = Buffer.alloc(0)
  stream?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk])
    if (tail.length > bytes) tail = tail.subarray(tail.length - bytes)
  })
  return () => tail
}

function capture(stream: Readable | null, bytes: number, overflow: () => void): () => Buffer {
  const chunks: Buffer[] = []
  let size = 0
  stream?.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > bytes) overflow()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks)
}

function end(entry: Running, reason: NonNullable<ExitMessage['reason']>): void {
  if (entry.reason !== null) return
  entry.reason = reason
  const child = entry.child
  if (child === null) {
    entry.abandon()
    return
  }
  killGroup(child, 'SIGTERM')
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), TERMINATION_GRACE_MS)
  entry.end = () => clearTimeout(timer)
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group has ended.
  }
}

process.on('message', (message: ToSpawner) => {
  if (message.kind === 'run') return void run(message)
  const entry = running.get(message.id)
  if (entry === undefined) return
  if (message.kind === 'kill') end(entry, 'killed')
  else entry.gate?.write(message.data)
})

process.once('disconnect', () => {
  rmSync(dirname(socketPath), { recursive: true, force: true })
  for (const entry of running.values()) end(entry, 'killed')
  // `end` sends the last signal after the grace period.
  setInterval(() => running.size === 0 && process.exit(), 20)
  setTimeout(() => process.exit(), TERMINATION_GRACE_MS + PIPE_GRACE_MS)
})

// The parent decides when this process ends, even when a terminal or service manager signals the whole group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

// One that has died may have left its file.
rmSync(socketPath, { force: true })
await listenForStreams(socketPath, onStream)
tell({ kind: 'listening' })
