/** The keys by which clients know the server again: made once, and kept. */
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ParsedKey } from 'ssh2'
import { createPrivateFile } from '../secrets/index.ts'
import type { Ssh2 } from './library.ts'
import type { SshLog } from './types.ts'

/** A host key cannot be used. The message names the file. */
export class HostKeyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HostKeyError'
  }
}

const kinds = {
  ed25519: { type: 'ssh-ed25519', options: {} },
  ecdsa: { type: 'ecdsa-sha2-nistp256', options: { bits: 256 } },
  rsa: { type: 'ssh-rsa', options: { bits: 3072 } },
} as const
type Kind = keyof typeof kinds

export type HostKeys = {
  /** The keys that there are. */
  keys(): readonly ParsedKey[]
  /** Resolves once there is every kind of key: the largest takes a while to make, once. */
  complete: Promise<void>
}

function pathOf(folder: string, kind: Kind): string {
  return join(folder, `ssh_host_${kind}_key`)
}

async function readKey({ utils }: Ssh2, folder: string, kind: Kind): Promise<ParsedKey | null> {
  const path = pathOf(folder, kind)
  const cannot = (why: string, cause?: unknown) => new HostKeyError(`${path} ${why}`, { cause })
  let text: string
  try {
    const { mode } = await stat(path)
    if ((mode & 0o077) !== 0) throw cannot('can be read by others: its mode must be 0600')
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof HostKeyError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw cannot(`cannot be read (${(error as Error).message})`, error)
  }
  const parsed = utils.parseKey(text)
  // Several keys in one file are no host key either.
  const key = Array.isArray(parsed) ? parsed[0] : parsed
  if (!key || key instanceof Error || !key.isPrivateKey() || key.type !== kinds[kind].type) {
    throw cannot(`is damaged: it must hold a private key of the type ${kinds[kind].type}, without a passphrase`)
  }
  return key
}

function generate({ utils }: Ssh2, kind: Kind): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  utils.generateKeyPair(kind as 'rsa', kinds[kind].options as { bits: number }, (error, pair) =>
    error ? reject(error) : resolve(pair.private),
  )
  return promise
}

async function makeKey(ssh2: Ssh2, folder: string, kind: Kind): Promise<ParsedKey> {
  const path = pathOf(folder, kind)
  await createPrivateFile(path, `${(await generate(ssh2, kind)).trim()}\n`)
  const key = await readKey(ssh2, folder, kind)
  if (!key) throw new HostKeyError(`${path} could not be made`)
  return key
}

/**
 * Reads the host keys, and makes those that are not there. Only the quick ones are waited for.
 * @throws HostKeyError when a file is no key, or others may read it
 */
export async function openHostKeys(ssh2: Ssh2, folder: string, log: SshLog): Promise<HostKeys> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const keyOf = async (kind: Kind) => (await readKey(ssh2, folder, kind)) ?? (await makeKey(ssh2, folder, kind))
  const keys = await Promise.all([keyOf('ed25519'), keyOf('ecdsa')])
  const slow = await readKey(ssh2, folder, 'rsa')
  if (slow) return { keys: () => [...keys, slow], complete: Promise.resolve() }
  const complete = makeKey(ssh2, folder, 'rsa').then(
    (key) => void keys.push(key),
    // Every client of the last ten years is content with the others.
    (error) => log('error', 'the RSA host key could not be made', { err: error }),
  )
  return { keys: () => keys, complete }
}
