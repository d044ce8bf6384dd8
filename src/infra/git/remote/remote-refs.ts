/** Lists the refs of remote repositories. */

import { type Oid, parseOid, type RefName, refName } from '../model/names.ts'
import type { RemoteOptions } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import type { Operand } from '../process/command.ts'
import { remoteCommand } from './fetch.ts'

/**
 * Lists the branches and tags of a remote, by full name, without illegal names.
 * @throws GitError `invalid_input` for another protocol; `timeout`; `too_large` for too many refs; `command_failed`
 */
export async function remoteRefs(
  { runner, directory }: RepositoryContext,
  address: string,
  options: RemoteOptions,
): Promise<Map<RefName, Oid>> {
  const { timeoutMs, signal } = options
  const command = remoteCommand('ls-remote', directory, address, options, ['--quiet', '--refs', '--heads', '--tags'])
  const { stdout } = await runner.run(command, { queue: 'transfer', timeoutMs, signal })
  const refs = new Map<RefName, Oid>()
  for (const line of stdout.toString('utf8').split('\n')) {
    const [id = '', name = ''] = line.split('\t')
    const [oid, ref] = [parseOid(id), refName(name)]
    // A name that is not UTF-8 cannot be decoded, so it could not be fetched.
    if (oid && ref && !ref.includes('\ufffd')) refs.set(ref, oid)
  }
  return refs
}

/**
 * Reads the target of a remote's HEAD. @returns null when the remote does not report it
 * @throws GitError as `remoteRefs`
 */
export async function remoteHead(
  { runner, directory }: RepositoryContext,
  address: string,
  options: RemoteOptions,
): Promise<RefName | null> {
  const { timeoutMs, signal } = options
  const head = ['HEAD' as Operand]
  const command = remoteCommand('ls-remote', directory, address, options, ['--quiet', '--symref'], head)
  const { stdout } = await runner.run(command, { queue: 'transfer', timeoutMs, signal })
  const [, name = ''] = /^ref: (\S+)\tHEAD$/m.exec(stdout.toString('utf8')) ?? []
  return refName(name)
}
