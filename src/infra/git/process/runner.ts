/** Runs git commands: the spawner plus the environment, the queues and the time limits. */

import { GitError } from '../model/errors.ts'
import type { GitLimits } from '../model/types.ts'
import { argumentsOf, type BaseEnvironment, type Command, environmentOf } from './command.ts'
import { type Asking, type Semaphore, semaphore } from './semaphore.ts'
import type { Exit, RunningJob, Spawner } from './spawner.ts'

export type RunOptions = {
  /** Whole standard input. Default: none. */
  input?: string | Buffer
  /** Exit codes that are answers, not failures. Default: 0 alone. */
  expectedExitCodes?: readonly number[]
  captureBytes?: number
  timeoutMs?: number
  signal?: AbortSignal
  /** Default `command`. */
  queue?: 'command' | 'transfer'
}

/**
 * Where a command waits for its place. Transfers have a queue of their own, so that a gate's questions never wait for the clones around it, and
 * so have advertisements, which are short.
 */
export type Queue = 'command' | 'transfer' | 'advertisement'

export type StreamOptions = {
  stdin: 'none' | 'given' | 'socket'
  input?: string | Buffer
  gate?: boolean
  timeoutMs?: number
  signal?: AbortSignal
  /** Ends the wait for a place alone, not the command. */
  waitSignal?: AbortSignal
  /** Pooled processes have none. */
  queue: Queue | 'none'
  /** Whose place it takes, in the queues that are shared out among callers. */
  caller?: string
}

export type Runner = {
  readonly limits: GitLimits
  /** Runs a command to its end. @throws GitError */
  run(command: Command, options?: RunOptions): Promise<Exit>
  /** Starts a command whose output is a stream. @throws GitError */
  stream(command: Command, options: StreamOptions): Promise<RunningJob>
  /** Waits for a place for work that is done without git, and resolves with the function that gives it back. @throws GitError `busy`, `aborted` */
  place(queue: Queue, asking: Asking): Promise<() => void>
  /**
   * Starts another program that turns its input into its output, beside a command of the queue `transfer`, whose time limit it shares.
   * @param flags fixed text
   * @throws GitError `unsupported` when the machine has no such program
   */
  filter(program: Filter, flags: readonly `-${string}`[], signal?: AbortSignal): Promise<RunningJob>
}

/** Programs besides git that may be run. */
export type Filter = 'bzip2'

const CAPTURE_BYTES = 16 * 1024 * 1024
/** Pooled processes live until the pool ends them. */
const FOREVER_MS = 2 ** 31 - 1

function queuesOf(limits: GitLimits): Record<Queue, Semaphore> {
  const { queueLength, queueLengthPerCaller } = limits
  const shared = (places: number, placesPerCaller: number) =>
    semaphore({ places, queueLength, perCaller: { places: placesPerCaller, queueLength: queueLengthPerCaller } })
  return {
    command: semaphore({ places: limits.concurrentCommands, queueLength }),
    transfer: shared(limits.concurrentTransfers, limits.transfersPerCaller),
    advertisement: shared(limits.concurrentAdvertisements, limits.advertisementsPerCaller),
  }
}

/** Binds the spawner to the environment and the limits. */
export function gitRunner(spawner: Spawner, binary: string, base: BaseEnvironment, limits: GitLimits): Runner {
  const queues = queuesOf(limits)
  const { commandTimeoutMs: command, transferTimeoutMs: transfer } = limits
  const timeouts = { command, transfer, advertisement: transfer, none: FOREVER_MS }

  function jobOf(command: Command) {
    return {
      binary,
      arguments: argumentsOf(command),
      environment: environmentOf(command, base),
      stderrBytes: limits.stderrBytes,
    }
  }

  return {
    limits,
    async run(command, options = {}) {
      const { input, expectedExitCodes = [0], captureBytes = CAPTURE_BYTES, queue = 'command', signal } = options
      const release = await queues[queue].acquire({ signal })
      try {
        const job = await spawner.start({
          ...jobOf(command),
          timeoutMs: options.timeoutMs ?? timeouts[queue],
          stdin: input === undefined ? 'none' : 'given',
          input: bytesOf(input),
          stdout: 'capture',
          captureBytes,
          gate: false,
          signal,
        })
        const exit = await job.exit
        if (exit.exitCode === null || !expectedExitCodes.includes(exit.exitCode)) throw failure(command, exit)
        return exit
      } finally {
        release()
      }
    },
    place: (queue, asking) => queues[queue].acquire(asking),
    async stream(command, options) {
      const { stdin, input, gate = false, signal, waitSignal = signal, queue, caller } = options
      const { timeoutMs = timeouts[queue] } = options
      const release = queue === 'none' ? () => {} : await queues[queue].acquire({ signal: waitSignal, caller })
      try {
        const stdout = 'socket'
        const job = await spawner.start({
          ...jobOf(command),
          timeoutMs,
          stdin,
          input: bytesOf(input),
          stdout,
          captureBytes: 0,
          gate,
          signal,
        })
        job.exit.then(release, release)
        return job
      } catch (error) {
        release()
        throw error
      }
    },
    async filter(program, flags, signal) {
      try {
        return await spawner.start({
          binary: program,
          arguments: flags,
          environment: { PATH: base.searchPath, LC_ALL: 'C' },
          stderrBytes: limits.stderrBytes,
          timeoutMs: timeouts.transfer,
          stdin: 'socket',
          stdout: 'socket',
          captureBytes: 0,
          gate: false,
          signal,
        })
      } catch (error) {
        if (!(error instanceof GitError && error.code === 'command_failed')) throw error
        throw new GitError('unsupported', `this machine has no program ${program}`, { stderr: error.stderr })
      }
    },
  }
}

function bytesOf(input: string | Buffer | undefined): Buffer | undefined {
  return typeof input === 'string' ? Buffer.from(input) : input
}

/** The error of a command that ended in a way that is no answer. */
export function failure(command: Command, { exitCode, signal, stderr }: Exit): GitError {
  if (/^fatal: (?:not a git repository|'.*' does not appear to be a git repository)/m.test(stderr)) {
    return new GitError('repository_missing', `no repository: ${command.directory}`, { stderr })
  }
  const how = exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`
  return new GitError('command_failed', `git ${command.subcommand} ended with ${how}: ${stderr.trim()}`, { stderr })
}
