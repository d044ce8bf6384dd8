/** Fetches from remote repositories, for imports and mirrors. */

import { join } from 'node:path'
import { syncTree } from '../../files/index.ts'
import { GitError } from '../model/errors.ts'
import { type Oid, parseOid, refName } from '../model/names.ts'
import type { FetchOptions, RemoteOptions } from '../model/types.ts'
import { linesOf, type RepositoryContext } from '../objects/context.ts'
import type { Command, Operand } from '../process/command.ts'
import { type BoundedRun, fetchBounded } from './bounded-fetch.ts'

const PROTOCOLS = ['http', 'https', 'git']

/** The flags of all fetches. */
export const fetchFlags = [
  '--quiet',
  '--no-tags',
  '--no-prune',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
] as const

/**
 * Fetches over `http`, `https` or `git`, without prompts, redirects (they would bypass the check of the address) and submodules.
 * @throws GitError `invalid_input` for another protocol or an illegal refspec; `timeout`; `command_failed`
 */
export async function fetchFrom(
  { runner, writers, directory }: RepositoryContext,
  address: string,
  options: FetchOptions,
): Promise<void> {
  const { refspecs, timeoutMs, signal } = options
  const command = remoteCommand('fetch', directory, address, options, fetchFlags, refspecs.map(refspec))
  await writers.during(directory, null, () => runner.run(command, { queue: 'transfer', timeoutMs, signal }))
  await syncTree(join(directory, 'refs'))
}

/**
 * Fetches objects that are tips of refs on the remote, and all that they reach. Writes no ref: unreachable objects are deleted
 * after two weeks.
 * @throws GitError as `fetchFrom`; `command_failed` also when the remote no longer has one of them; `too_large` when it sends
 * more than `maxBytes`
 */
export async function fetchObjectsFromRemote(
  { runner, directory }: RepositoryContext,
  address: string,
  oids: readonly Oid[],
  options: RemoteOptions & { maxBytes?: number },
): Promise<void> {
  if (oids.length === 0) return
  const { timeoutMs, maxBytes, signal } = options
  const command = remoteCommand('fetch', directory, address, options, [...fetchFlags, '--stdin'])
  const input = linesOf(new Set(oids))
  const run = ({ quarantine, config: more = [], signal: ending }: Partial<BoundedRun>) =>
    runner.run(
      { ...command, quarantine, config: [...(command.config ?? []), ...more] },
      { input, queue: 'transfer', timeoutMs, signal: ending },
    )
  await (maxBytes === undefined ? run({ signal }) : fetchBounded(directory, { maxBytes, signal }, run))
}

type Settings = (readonly [string, string])[]

/** A redirect would bypass the check of the address. There is no terminal for a password prompt. */
const REMOTE_CONFIG: Settings = [
  ['http.followRedirects', 'false'],
  ['credential.helper', ''],
]

/** The header with the login of an address. */
function loginOf({ username, password }: URL): Settings {
  if (username === '' && password === '') return []
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return [['http.extraHeader', `Authorization: Basic ${Buffer.from(login).toString('base64')}`]]
}

/**
 * Builds a command on a remote repository. Credentials in its address become a header: every process of the machine can read
 * arguments.
 * @param options `config`: `key=value`, keys that begin with `http` only
 * @throws GitError `invalid_input` for another protocol or key
 */
export function remoteCommand(
  subcommand: 'fetch' | 'push' | 'ls-remote',
  directory: string,
  address: string,
  { config = [], ssh }: Pick<RemoteOptions, 'config' | 'ssh'>,
  flags: Command['flags'],
  operands: readonly Operand[] = [],
): Command {
  const protocols = ssh === undefined ? PROTOCOLS : ['ssh']
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !protocols.includes(url.protocol.slice(0, -1)) || url.hostname === '' || url.hostname.startsWith('-')) {
    throw new GitError('invalid_input', `only ${protocols.join(', ')} addresses can be used`)
  }
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return {
    subcommand,
    flags,
    operands: [bare.href as Operand, ...operands],
    directory,
    environment: {
      GIT_ALLOW_PROTOCOL: protocols.join(':'),
      ...(ssh !== undefined && { GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: 'simple' }),
    },
    config: [...REMOTE_CONFIG, ...(ssh === undefined ? loginOf(url) : []), ...config.map(setting)],
  }
}

/** `[+]<source>:<target>`, each side a ref or a pattern with one star. */
export function refspec(text: string): Operand {
  const [source = '', target = '', ...more] = text.replace(/^\+/, '').split(':')
  const legal = (side: string) => refName(side.replace('*', 'x')) !== null
  if (more.length > 0 || !legal(target) || !(legal(source) || source === 'HEAD' || parseOid(source) !== null)) {
    throw new GitError('invalid_input', 'illegal refspec')
  }
  return text as Operand
}

/** Parses `key=value` into a setting. @throws GitError `invalid_input` unless the key begins with `http` */
function setting(text: string): readonly [string, string] {
  const end = text.indexOf('=')
  const key = text.slice(0, end)
  if (end < 0 || !/^http\.[a-zA-Z0-9.:/_-]+$/.test(key)) throw new GitError('invalid_input', `illegal setting: ${key}`)
  return [key, text.slice(end + 1)]
}
