/** Brings objects over from another repository of the same server. */

import type { Oid } from '../model/names.ts'
import { type Command, directoryOperand } from '../process/command.ts'
import type { Runner } from '../process/runner.ts'

/**
 * Makes sure that a repository has these commits of another one, with all that they reach. Writes no ref: until one of its own
 * reaches them they are as loose as any object that was only just written, and are kept for two weeks.
 * @throws GitError `command_failed` when the other one does not have them, or keeps objects of another format
 */
export async function fetchObjects(
  runner: Runner,
  directory: string,
  source: string,
  oids: readonly Oid[],
): Promise<void> {
  const command: Command = {
    subcommand: 'fetch',
    flags: [
      '--quiet',
      '--no-tags',
      '--no-auto-maintenance',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--no-prune',
    ],
    operands: [directoryOperand(source), ...oids],
    directory,
    // For this command alone: its address is a directory of the server, never what a user wrote.
    environment: { GIT_ALLOW_PROTOCOL: 'file' },
  }
  await runner.run(command, { queue: 'transfer' })
}
