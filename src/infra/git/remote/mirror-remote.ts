/** Copies a repository of another server with all its refs, for replication. */

import { join } from 'node:path'
import { syncTree } from '../../files/index.ts'
import type { RemoteOptions } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import type { Operand } from '../process/command.ts'
import { fetchFlags, remoteCommand } from './fetch.ts'

/**
 * Makes the refs equal to those of a remote: all of them, also hidden ones if the remote shows them, in one transaction.
 * @throws GitError `timeout`; `command_failed`
 */
export async function mirrorRemote(
  { runner, writers, directory }: RepositoryContext,
  address: string,
  options: RemoteOptions,
): Promise<void> {
  const { timeoutMs, signal } = options
  const flags = [...fetchFlags.filter((flag) => flag !== '--no-prune'), '--prune', '--atomic'] as const
  const all = '+refs/*:refs/*' as Operand
  const command = remoteCommand('fetch', directory, address, options, flags, [all])
  await writers.during(directory, null, () => runner.run(command, { queue: 'transfer', timeoutMs, signal }))
  await syncTree(join(directory, 'refs'))
}
