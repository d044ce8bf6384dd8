/** Copies objects from another repository of the same server. */

import type { Oid } from '../model/names.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { type Command, directoryOperand } from '../process/command.ts'
import { fetchFlags } from './fetch.ts'

/**
 * Copies commits of another repository, and all that they reach, unless they exist. Writes no ref: unreachable objects are
 * deleted after two weeks.
 * @throws GitError `command_failed` when the source does not have them, or has another object format
 */
export async function fetchObjects(
  { runner, directory }: RepositoryContext,
  source: { directory: string },
  oids: readonly Oid[],
): Promise<void> {
  const command: Command = {
    subcommand: 'fetch',
    flags: fetchFlags,
    operands: [directoryOperand(source.directory), ...oids],
    directory,
    // Only for this command: its address is a directory of the server, never input of a user.
    environment: { GIT_ALLOW_PROTOCOL: 'file' },
  }
  await runner.run(command, { queue: 'transfer' })
}
