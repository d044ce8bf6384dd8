/** Fetches from other servers: imports and mirrors. */

import { join } from 'node:path'
import type { Command, Operand } from './command.ts'
import { syncTree } from './durable.ts'
import { GitError } from './errors.ts'
import { parseOid, refName } from './names.ts'
import type { Runner } from './runner.ts'
import type { FetchOptions } from './types.ts'

const PROTOCOLS = ['http:', 'https:', 'git:']

/**
 * Fetches over `http`, `https` or `git`. No prompt, no redirect (a redirect would lead past the checked address), no submodules.
 * @throws GitError `invalid_input` for another protocol or an illegal refspec; `timeout`; `command_failed`
 */
export async function fetchFrom(
  runner: Runner,
  directory: string,
  address: string,
  { refspecs, prune = false, timeoutMs, config = [], signal }: FetchOptions,
): Promise<void> {
  const { url, authorization } = remote(address)
  const command: Command = {
    subcommand: 'fetch',
    flags: [
      '--quiet',
      '--no-tags',
      '--no-auto-maintenance',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      prune ? '--prune' : '--no-prune',
    ],
    operands: [url, ...refspecs.map(refspec)],
    directory,
    environment: { GIT_ALLOW_PROTOCOL: 'http:https:git' },
    config: [['http.followRedirects', 'false'], ['credential.helper', ''], ...authorization, ...config.map(setting)],
  }
  await runner.run(command, { queue: 'transfer', timeoutMs, signal })
  await syncTree(join(directory, 'refs'))
}

type Settings = (readonly [string, string])[]

/** A password in the address becomes a header: arguments can be read by every process of the machine. */
function remote(address: string): { url: Operand; authorization: Settings } {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !PROTOCOLS.includes(url.protocol) || url.hostname === '' || url.hostname.startsWith('-')) {
    throw new GitError('invalid_input', 'only http, https and git addresses can be fetched from')
  }
  const { username, password } = url
  url.username = ''
  url.password = ''
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const header = `Authorization: Basic ${Buffer.from(login).toString('base64')}`
  const hasLogin = username !== '' || password !== ''
  return { url: url.href as Operand, authorization: hasLogin ? [['http.extraHeader', header]] : [] }
}

/** `[+]<source>:<target>`, each side a ref or a pattern with one star. */
function refspec(text: string): Operand {
  const [source = '', target = '', ...more] = text.replace(/^\+/, '').split(':')
  const legal = (side: string) => refName(side.replace('*', 'x')) !== null
  if (more.length > 0 || !legal(target) || !(legal(source) || source === 'HEAD' || parseOid(source) !== null)) {
    throw new GitError('invalid_input', 'illegal refspec')
  }
  return text as Operand
}

function setting(text: string): readonly [string, string] {
  const end = text.indexOf('=')
  const key = text.slice(0, end)
  if (end < 0 || !/^http\.[a-zA-Z0-9.:/_-]+$/.test(key)) throw new GitError('invalid_input', `illegal setting: ${key}`)
  return [key, text.slice(end + 1)]
}
