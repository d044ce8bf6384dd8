/** Streams the output of commands. A reader that stops early ends the command. */

import { GitError } from '../model/errors.ts'
import type { Command } from './command.ts'
import { failure, type Runner } from './runner.ts'
import type { Exit, RunningJob } from './spawner/spawner.ts'

type OutputOptions = {
  input?: string
  signal?: AbortSignal | undefined
  /** Exit codes that are not failures. Default: 0. */
  expectedExitCodes?: readonly number[]
}

/** Paths from users are literal file names, not patterns. */
export const LITERAL_PATHS = { GIT_LITERAL_PATHSPECS: '1' } as const

const NEWLINE = 0x0a
export const NUL = 0x00

type RecordOptions = OutputOptions & {
  /** The byte that ends a record. Default: a newline. */
  end?: typeof NUL
  /** The longest record, in bytes. Records are held in memory; names are never longer than the default. */
  recordBytes?: number
}

/**
 * Yields the chunks that a command prints. The reader holds a process slot, so it must not wait for another command.
 * @throws GitError `object_missing` when an id does not exist, `aborted`, `timeout`, …
 */
export async function* outputOf(
  runner: Runner,
  command: Command,
  { input, signal, expectedExitCodes = [0] }: OutputOptions = {},
): AsyncGenerator<Buffer> {
  const stdin = input === undefined ? 'none' : 'given'
  const job = await runner.stream(command, { stdin, input, queue: 'command', signal })
  let hasEnded = false
  try {
    yield* job.stdout as AsyncIterable<Buffer>
    const exit = await job.exit
    hasEnded = true
    if (exit.exitCode === null || !expectedExitCodes.includes(exit.exitCode)) throw missingOr(command, exit)
  } finally {
    if (!hasEnded) job.kill()
  }
}

/** Yields the output of a job, and checks its exit. @param check throws when the job failed */
export async function* outputOfJob(
  job: RunningJob,
  check: (exit: Exit) => void | Promise<void>,
): AsyncGenerator<Buffer> {
  try {
    yield* job.stdout as AsyncIterable<Buffer>
  } catch (error) {
    // A process that was killed resets its connection. Its exit has the reason.
    job.kill()
    await job.exit
    throw error
  }
  await check(await job.exit)
}

/**
 * Yields the records that a command prints, each a line by default. A record is valid until the next one is requested.
 * @throws GitError as `outputOf`; `too_large` for a record above the limit
 */
export async function* recordsOf(
  runner: Runner,
  command: Command,
  { end, recordBytes = 1024 * 1024, ...options }: RecordOptions = {},
): AsyncGenerator<Buffer> {
  const separator = end ?? NEWLINE
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const chunk of outputOf(runner, command, options)) {
    let start = 0
    for (let at = chunk.indexOf(separator); at >= 0; at = chunk.indexOf(separator, start)) {
      const piece = chunk.subarray(start, at)
      yield rest.length === 0 ? piece : Buffer.concat([...rest, piece])
      if (rest.length > 0) rest = []
      restBytes = 0
      start = at + 1
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
    restBytes += chunk.length - start
    if (restBytes > recordBytes) {
      throw new GitError('too_large', `git ${command.subcommand} printed a name that is too long`)
    }
  }
  if (restBytes > 0) yield Buffer.concat(rest)
}

const MISSING =
  /bad (?:object|revision)|Invalid symmetric difference|not a valid (?:commit|object) name|no such commit|malformed object name|(?:is a \w+, not a|is not a|not a) (?:commit|tree)|unable to read|could not (?:parse|read)/i

/** As `failure`, with the code `object_missing` when an id does not exist. */
export function missingOr(command: Command, exit: Exit): GitError {
  // Some commands work without a repository and report another error first.
  if (/outside repository/.test(exit.stderr)) {
    return new GitError('repository_missing', `no repository: ${command.directory}`, { stderr: exit.stderr })
  }
  return MISSING.test(exit.stderr)
    ? new GitError('object_missing', `git ${command.subcommand}: no such object`, { stderr: exit.stderr })
    : failure(command, exit)
}
