import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../../infra/clock/index.ts'
import { handled } from '../../infra/streams/index.ts'

/** A program of a job. */
export type Program = {
  binary: string
  parameters: readonly string[]
  folder: string
  /** The whole environment. */
  environment: Readonly<Record<string, string>>
  /** Receives what the program writes to its standard output and its standard error. */
  output: (bytes: Buffer) => void
  /** Ends the program and all that it has started. */
  signal: AbortSignal
  clock: Clock
}

/** A program that was asked to end is killed after this time. */
const graceMs = 5000
/** A process that left the group may keep the output open; it is not waited for longer. */
const drainMs = 2000

/** Signals a process group; one that has ended is ignored. */
function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch (error) {
    // Of a group of which only zombies are left, macOS says EPERM.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Kills the group that is its first parameter when its standard input is closed, which is when this process has ended. */
const guardScript = 'read -r line; kill -s KILL -- "-$1"'

/** Starts a process that ends a process group when this process ends in whatever way. @returns ends the guard alone */
function guard(leader: number, path: string | undefined): () => void {
  const watching = spawn('/bin/sh', ['-c', guardScript, 'sh', String(leader)], {
    env: { PATH: path ?? '' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  handled(watching)
  if (watching.stdin) handled(watching.stdin)
  return () => {
    watching.kill('SIGKILL')
  }
}

/** Waits until the output of a program that has exited is read, but not for processes that left its group. */
async function drained(child: ChildProcess, closed: Promise<unknown>, clock: Clock): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = clock.setTimer(resolve, drainMs)
  await Promise.race([closed, late])
  timer.cancel()
  child.stdout?.destroy()
  child.stderr?.destroy()
}

/**
 * Runs a program in a process group of its own, and ends what is left of the group when the program has ended.
 * @returns its exit code; that of a shell for a program that a signal ended
 * @throws Error when it cannot be started; the reason of the signal when that ended it
 */
export async function runProgram({ binary, parameters, folder, environment, output, signal, clock }: Program) {
  signal.throwIfAborted()
  const options = { cwd: folder, env: { ...environment }, detached: true }
  const child = handled(spawn(binary, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
  child.stdout?.on('data', output)
  child.stderr?.on('data', output)
  const closed = once(child, 'close')
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const { pid } = child
  if (pid === undefined) {
    closed.catch(() => {})
    // The reason is an event of the process.
    await ended
    throw new Error(`${binary} cannot be started`)
  }
  const unguard = guard(pid, environment.PATH)
  let timer: { cancel(): void } | undefined
  const stop = () => {
    signalGroup(pid, 'SIGTERM')
    timer = clock.setTimer(() => signalGroup(pid, 'SIGKILL'), graceMs)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [code, endedBy] = await ended
    signalGroup(pid, 'SIGKILL')
    await drained(child, closed, clock)
    signal.throwIfAborted()
    return code ?? exitCodeOf(endedBy)
  } finally {
    signal.removeEventListener('abort', stop)
    timer?.cancel()
    unguard()
  }
}

const firstSignalCode = 128
const signalNumbers: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGTERM: 15,
}

const exitCodeOf = (signal: NodeJS.Signals | null) => firstSignalCode + (signal ? (signalNumbers[signal] ?? 0) : 0)
