/** Copies objects from another repository of the same server, and from files of it. */

import { join } from 'node:path'
import { syncTree } from '../../files/index.ts'
import type { Oid } from '../model/names.ts'
import type { FetchOptions } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { type Command, directoryOperand } from '../process/command.ts'
import { fetchFlags, refspec } from './fetch.ts'

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

/**
 * Fetches from a bundle: a file of the server, whatever is in it. Objects are not checked by every version of git: see `fsck`.
 * @param place the absolute path of the file
 * @throws GitError `command_failed` when it is no bundle, or is incomplete; `timeout`
 */
export async function fetchBundle(
  { runner, writers, directory }: RepositoryContext,
  place: string,
  { refspecs, timeoutMs, signal }: Pick<FetchOptions, 'refspecs' | 'timeoutMs' | 'signal'>,
): Promise<void> {
  const command: Command = {
    subcommand: 'fetch',
    flags: fetchFlags,
    operands: [directoryOperand(place), ...refspecs.map(refspec)],
    directory,
    environment: { GIT_ALLOW_PROTOCOL: 'file' },
  }
  await writers.during(directory, null, () => runner.run(command, { queue: 'transfer', timeoutMs, signal }))
  await syncTree(join(directory, 'refs'))
}
