/** Reads what a command prints, as it comes; a reader that leaves early ends the command. */

import { GitError } from '../model/errors.ts'
import type { Command } from './command.ts'
import { failure, type Runner } from './runner.ts'
import type { Exit } from './spawner.ts'

export type OutputOptions = { input?: string; signal?: AbortSignal }

/** What a user calls a path is the name of a file, whatever characters it is made of. */
export const LITERAL_PATHS = { GIT_LITERAL_PATHSPECS: '1' } as const

/** A record above this is refused: nothing that git names is so long, and a record is held whole. */
const RECORD_BYTES = 1024 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * The chunks that a command prints. Whoever reads must not wait for another command in between: the place in the queue is held meanwhile.
 * @throws GitError `object_missing` when an id leads nowhere, `aborted`, `timeout`, …
 */
export async function* outputOf(
  runner: Runner,
  command: Command,
  { input, signal }: OutputOptions = {},
): AsyncGenerator<Buffer> {
  const stdin = input === undefined ? 'none' : 'given'
  const job = await runner.stream(command, { stdin, input, queue: 'command', signal })
  let hasEnded = false
  try {
    yield* job.stdout as AsyncIterable<Buffer>
    const exit = await job.exit
    hasEnded = true
    if (exit.exitCode !== 0) throw missingOr(command, exit)
  } finally {
    if (!hasEnded) job.kill()
  }
}

/**
 * What a command prints, cut at a byte that does not belong to the records. A record is good until the next is asked for.
 * @throws GitError as `outputOf`, and `too_large` for a record that no repository would have
 */
export async function* recordsOf(
  runner: Runner,
  command: Command,
  end: 0x00 | 0x0a,
  options?: OutputOptions,
): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const chunk of outputOf(runner, command, options)) {
    let start = 0
    for (let at = chunk.indexOf(end); at >= 0; at = chunk.indexOf(end, start)) {
      const piece = chunk.subarray(start, at)
      yield rest.length === 0 ? piece : Buffer.concat([...rest, piece])
      if (rest.length > 0) rest = []
      restBytes = 0
      start = at + 1
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
    restBytes += chunk.length - start
    if (restBytes > RECORD_BYTES) throw tooLong(command)
  }
  if (restBytes > 0) yield Buffer.concat([NOTHING, ...rest])
}

function tooLong(command: Command): GitError {
  return new GitError('too_large', `git ${command.subcommand} printed a name that is too long`)
}

const MISSING =
  /bad (?:object|revision)|not a valid (?:commit|object) name|no such commit|malformed object name|(?:is a \w+, not a|is not a|not a) (?:commit|tree)|unable to read|could not (?:parse|read)/i

/** The error of a command that was given ids: what it says when one is not there has a code of its own. */
export function missingOr(command: Command, exit: Exit): GitError {
  // Some commands can do without a repository, and then miss other things first.
  if (/outside repository/.test(exit.stderr)) {
    return new GitError('repository_missing', `no repository: ${command.directory}`, { stderr: exit.stderr })
  }
  return MISSING.test(exit.stderr)
    ? new GitError('object_missing', `git ${command.subcommand}: no such object`, { stderr: exit.stderr })
    : failure(command, exit)
}
