/** Runs git commands through the spawner, with environment, queues and time limits. */

import { GitError } from '../model/errors.ts'
import type { GitLimits } from '../model/types.ts'
import { argumentsOf, type BaseEnvironment, type Command, environmentOf } from './command.ts'
import { type Semaphore, type SlotRequest, semaphore } from './semaphore.ts'
import type { Exit, RunningJob, Spawner } from './spawner/spawner.ts'

type RunOptions = {
  /** The complete standard input. Default: none. */
  input?: string | Buffer
  /** Exit codes that are not failures. Default: 0. */
  expectedExitCodes?: readonly number[]
  timeoutMs?: number
  signal?: AbortSignal
  /** Default `command`. */
  queue?: 'command' | 'transfer'
}

/**
 * The queue in which a command waits for a process slot. Transfers have their own queue, so that commands of the gate do not
 * wait behind clones. So do advertisements, which are short.
 */
type Queue = 'command' | 'transfer' | 'advertisement'

type StreamOptions = {
  stdin: 'none' | 'given' | 'socket'
  input?: string | Buffer
  gate?: boolean
  /** Whether the output is read by `recycled` of the job. */
  recycles?: boolean
  signal?: AbortSignal
  /** Aborts only the wait for a slot, not the command. */
  waitSignal?: AbortSignal
  /** Its time limit applies. Pooled processes have none. */
  queue: Queue | 'none'
  /** The caller whose slot is taken, in queues that are shared out between callers (see `callerOf`). */
  caller?: string
  /** How long after its time limit the command is ended by force, in milliseconds: the caller ends it in order before. Default 0. */
  graceMs?: number
}

export type Runner = {
  readonly limits: GitLimits
  /** Runs a command and returns its output. @throws GitError */
  run(command: Command, options?: RunOptions): Promise<Exit>
  /** Starts a command whose output is streamed. @throws GitError */
  stream(command: Command, options: StreamOptions): Promise<RunningJob>
  /** Takes a slot for work without a git process. @returns the function that releases it @throws GitError `busy`, `aborted` */
  takeSlot(queue: Queue, request: SlotRequest): Promise<() => void>
  /**
   * Starts a filter program beside a command of the queue `transfer`. It has the same time limit.
   * @param flags constants
   * @throws GitError `unsupported` when the program is not installed
   */
  filter(program: Filter, flags: readonly `-${string}`[], signal?: AbortSignal): Promise<RunningJob>
}

/** Other programs that may be run. */
export type Filter = 'bzip2'

const CAPTURE_BYTES = 16 * 1024 * 1024
/** Pooled processes live until the pool ends them. */
const FOREVER_MS = 2 ** 31 - 1

function queuesOf(limits: GitLimits): Record<Queue, Semaphore> {
  const { queueLength, queueLengthPerCaller } = limits
  const shared = (slots: number, slotsPerCaller: number) =>
    semaphore({ slots, queueLength, perCaller: { slots: slotsPerCaller, queueLength: queueLengthPerCaller } })
  return {
    command: semaphore({ slots: limits.concurrentCommands, queueLength }),
    transfer: shared(limits.concurrentTransfers, limits.transfersPerCaller),
    advertisement: shared(limits.concurrentAdvertisements, limits.advertisementsPerCaller),
  }
}

/** Creates a runner on top of the spawner. */
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
      const { input, expectedExitCodes = [0], queue = 'command', signal } = options
      const release = await queues[queue].acquire({ signal })
      try {
        const job = await spawner.start({
          ...jobOf(command),
          timeoutMs: options.timeoutMs ?? timeouts[queue],
          stdin: input === undefined ? 'none' : 'given',
          input: bytesOf(input),
          stdout: 'capture',
          captureBytes: CAPTURE_BYTES,
          signal,
        })
        const exit = await job.exit
        if (exit.exitCode === null || !expectedExitCodes.includes(exit.exitCode)) throw failure(command, exit)
        return exit
      } finally {
        release()
      }
    },
    takeSlot: (queue, request) => queues[queue].acquire(request),
    async stream(command, options) {
      const { stdin, input, gate = false, recycles = false, signal, waitSignal = signal, queue, caller } = options
      const { graceMs = 0 } = options
      const release = queue === 'none' ? () => {} : await queues[queue].acquire({ signal: waitSignal, caller })
      try {
        const timeoutMs = timeouts[queue] + graceMs
        const given = { stdin, input: bytesOf(input), gate, recycles, signal }
        const job = await spawner.start({ ...jobOf(command), timeoutMs, ...given })
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
          signal,
        })
      } catch (error) {
        if (!(error instanceof GitError && error.code === 'command_failed')) throw error
        throw new GitError('unsupported', `the program ${program} is not installed`, { stderr: error.stderr })
      }
    },
  }
}

function bytesOf(input: string | Buffer | undefined): Buffer | undefined {
  return typeof input === 'string' ? Buffer.from(input) : input
}

/** The error for a command that failed. */
export function failure(command: Command, { exitCode, signal, stderr }: Exit): GitError {
  if (/^fatal: (?:not a git repository|'.*' does not appear to be a git repository)/m.test(stderr)) {
    return new GitError('repository_missing', `no repository: ${command.directory}`, { stderr })
  }
  const how = exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`
  // Not git's own doing, such as a crash: an administrator, or the kernel when memory is short.
  const isFromOutside = signal === 'SIGKILL' || signal === 'SIGTERM'
  return new GitError(
    isFromOutside ? 'interrupted' : 'command_failed',
    `git ${command.subcommand} ended with ${how}: ${stderr.trim()}`,
    { stderr },
  )
}
