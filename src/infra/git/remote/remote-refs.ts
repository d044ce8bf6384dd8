/** What another server has: asked before it is fetched from or pushed to. */

import { type Oid, parseOid, type RefName, refName } from '../model/names.ts'
import type { RemoteOptions } from '../model/types.ts'
import type { Command, Operand } from '../process/command.ts'
import type { Runner } from '../process/runner.ts'
import { remote, remoteEnvironment, remoteSettings, setting } from './fetch.ts'

function asking(
  directory: string,
  address: string,
  { config = [] }: RemoteOptions,
  flags: readonly `-${string}`[],
  patterns: readonly string[],
): Command {
  const { url, authorization } = remote(address)
  return {
    subcommand: 'ls-remote',
    flags: ['--quiet', ...flags],
    operands: [url, ...(patterns as readonly Operand[])],
    directory,
    environment: remoteEnvironment,
    config: [...remoteSettings, ...authorization, ...config.map(setting)],
  }
}

/**
 * The branches and tags of a repository elsewhere, by full name. Names that are not legal here are left out.
 * @throws GitError `invalid_input` for another protocol; `timeout`; `too_large` for more refs than are held; `command_failed`
 */
export async function remoteRefs(
  runner: Runner,
  directory: string,
  address: string,
  options: RemoteOptions,
): Promise<Map<RefName, Oid>> {
  const { timeoutMs, signal } = options
  const command = asking(directory, address, options, ['--refs', '--heads', '--tags'], [])
  const { stdout } = await runner.run(command, { queue: 'transfer', timeoutMs, signal })
  const refs = new Map<RefName, Oid>()
  for (const line of stdout.toString('utf8').split('\n')) {
    const [id = '', name = ''] = line.split('\t')
    const [oid, ref] = [parseOid(id), refName(name)]
    // A name that is no UTF-8 was read wrong, so it could not be asked for.
    if (oid && ref && !ref.includes('\ufffd')) refs.set(ref, oid)
  }
  return refs
}

/**
 * The branch that HEAD of a repository elsewhere points at; null when it does not say.
 * @throws GitError as `remoteRefs`
 */
export async function remoteHead(
  runner: Runner,
  directory: string,
  address: string,
  options: RemoteOptions,
): Promise<RefName | null> {
  const { timeoutMs, signal } = options
  const command = asking(directory, address, options, ['--symref'], ['HEAD'])
  const { stdout } = await runner.run(command, { queue: 'transfer', timeoutMs, signal })
  const [, name = ''] = /^ref: (\S+)\tHEAD$/m.exec(stdout.toString('utf8')) ?? []
  return refName(name)
}
