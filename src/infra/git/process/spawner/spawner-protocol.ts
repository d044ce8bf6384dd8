/**
 * The protocol between the server and the process that owns all git processes (`spawner-process.ts`).
 *
 * Control messages go over Node's IPC channel. Data does not: for a stream the server connects to the spawner's Unix socket and writes
 * one line that names the stream; the spawner passes the connected socket to git as its standard input or output. So pack bytes pass
 * from git to the server directly, the kernel applies backpressure, and the spawner reads only the line. The server is the side that
 * connects, because only that side can choose the memory into which it reads (`recycled-output.ts`).
 */
export type RunRequest = {
  kind: 'run'
  id: number
  binary: string
  arguments: readonly string[]
  environment: Readonly<Record<string, string>>
  timeoutMs: number
  /** `none`: empty; `given`: `input` below; `socket`: a stream of its own. */
  stdin: 'none' | 'given' | 'socket'
  input?: Uint8Array
  /** `capture`: returned with the exit, up to `captureBytes`; `socket`: a stream of its own. */
  stdout: 'capture' | 'socket'
  captureBytes: number
  stderrBytes: number
  /** Whether descriptor 3 of the command is connected to the server, for the hooks. */
  gate: boolean
}
type GateMessage = { kind: 'gate'; id: number; data: Uint8Array }
export type ToSpawner = RunRequest | { kind: 'kill'; id: number } | GateMessage
export type ExitMessage = {
  kind: 'exit'
  id: number
  exitCode: number | null
  signal: string | null
  /** The last `stderrBytes` of standard error. */
  stderr: Uint8Array
  stdout: Uint8Array
  /** Why the spawner ended the command, or could not start it. */
  reason: 'timeout' | 'killed' | 'output_limit' | 'not_started' | null
}
/** `listening`: the first message, from which on the server can connect. */
export type FromSpawner =
  | { kind: 'listening' }
  | { kind: 'started'; id: number; pid: number }
  | ExitMessage
  | GateMessage

export type StreamName = 'stdin' | 'stdout'

/** The line that opens a data connection. Nothing follows it before the command has started. */
export function greeting(id: number, stream: StreamName): string {
  return `${id} ${stream}\n`
}

/** The longest greeting, in bytes. */
export const GREETING_BYTES = 32
