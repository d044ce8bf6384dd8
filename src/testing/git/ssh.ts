import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../programs.ts'
import { type GitOutcome, git } from './git.ts'

/** A pair of SSH keys, in two files. */
export type SshKeyPair = {
  /** The private half, for `ssh -i`. */
  path: string
  /** The public half, one line, as `POST /user/keys` takes it. */
  publicKey: string
}

/** What a server tells of where it takes SSH. */
type Served = { app: { ssh: { host: string; port: number } | undefined } }

function run(binary: string, parameters: readonly string[], input?: string): Promise<GitOutcome> {
  const env = { PATH: process.env.PATH, HOME: tmpdir(), LC_ALL: 'C', TZ: 'UTC' }
  return runProgram({ binary, parameters: [...parameters], env, input })
}

/**
 * Makes a pair of keys with OpenSSH's own `ssh-keygen`.
 * @param name of the files in `folder`; also the comment
 */
export async function sshKeyPair(
  folder: string,
  name: string,
  type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519',
  bits?: number,
): Promise<SshKeyPair> {
  const path = join(folder, name)
  const size = bits === undefined ? [] : ['-b', String(bits)]
  const made = await run('ssh-keygen', ['-q', '-t', type, ...size, '-N', '', '-C', name, '-f', path])
  if (made.code !== 0) throw new Error(made.stderr)
  return { path, publicKey: (await readFile(`${path}.pub`, 'utf8')).trim() }
}

/**
 * Signs a key with OpenSSH's own `ssh-keygen`; the clients then offer the certificate before the key.
 * @param keyId what the authority calls the user
 * @param options of `ssh-keygen -s`, such as `-n git`
 */
export async function sshCertificate(
  authority: SshKeyPair,
  key: SshKeyPair,
  keyId: string,
  options: readonly string[] = [],
): Promise<void> {
  const made = await run('ssh-keygen', ['-q', '-s', authority.path, '-I', keyId, ...options, `${key.path}.pub`])
  if (made.code !== 0) throw new Error(made.stderr)
}

function addressOf({ app }: Served): { host: string; port: number } {
  if (!app.ssh) throw new Error('the server does not serve SSH: start it with `sshPort: 0`')
  return app.ssh
}

/** Options with which OpenSSH does not prompt, stores no host keys, and uses only this key. */
function optionsFor(server: Served, key: SshKeyPair, extra: readonly string[]): string[] {
  const settings = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'ConnectTimeout=20',
  ]
  const chosen = settings.flatMap((setting) => ['-o', setting])
  return [...extra, '-F', '/dev/null', '-i', key.path, '-p', String(addressOf(server).port), ...chosen]
}

/** The address of a project over SSH. */
export function sshUrl(server: Served, fullPath: string): string {
  const { host, port } = addressOf(server)
  return `ssh://git@${host}:${port}/${fullPath}.git`
}

/**
 * Runs the real `ssh` client with a command, none for `ssh -T`.
 * @param extra options that come first, and so win
 */
export function ssh(
  server: Served,
  key: SshKeyPair,
  command: readonly string[] = [],
  { extra = [], user = 'git', input }: { extra?: readonly string[]; user?: string; input?: string } = {},
): Promise<GitOutcome> {
  const options = optionsFor(server, key, ['-T', ...extra])
  return run('ssh', [...options, `${user}@${addressOf(server).host}`, ...command], input)
}

/** Runs the real git client, which goes by `ssh` with this key wherever it goes by SSH. */
export function sshGit(server: Served, key: SshKeyPair, cwd: string, ...parameters: string[]): Promise<GitOutcome> {
  const command = ['ssh', ...optionsFor(server, key, [])].join(' ')
  return git(cwd, '-c', `core.sshCommand=${command}`, ...parameters)
}
