/** The host keys, which are generated once and stored. */
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ParsedKey } from 'ssh2'
import { createPrivateFile } from '../../secrets/index.ts'
import type { Ssh2, SshLog } from '../types.ts'

/** A host key cannot be used. The message names the file. */
class HostKeyError extends Error {
  override name = 'HostKeyError'
}

const kinds = {
  ed25519: { type: 'ssh-ed25519', options: {} },
  ecdsa: { type: 'ecdsa-sha2-nistp256', options: { bits: 256 } },
  rsa: { type: 'ssh-rsa', options: { bits: 3072 } },
} as const
type Kind = keyof typeof kinds

type HostKeys = {
  /** The available keys. */
  keys(): readonly ParsedKey[]
  /** Resolves when all kinds of keys exist. Generating the largest takes a while. */
  complete: Promise<void>
}

function pathOf(folder: string, kind: Kind): string {
  return join(folder, `ssh_host_${kind}_key`)
}

/** Parses a private key of one kind. @returns null when the text contains no such key, or several */
function keyIn({ utils }: Ssh2, text: string, kind: Kind): ParsedKey | null {
  const parsed = utils.parseKey(text)
  const key = Array.isArray(parsed) ? parsed[0] : parsed
  return key && !(key instanceof Error) && key.isPrivateKey() && key.type === kinds[kind].type ? key : null
}

async function readKey(ssh2: Ssh2, folder: string, kind: Kind): Promise<ParsedKey | null> {
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
  const key = keyIn(ssh2, text, kind)
  if (!key) {
    throw cannot(`is damaged: it must hold a private key of the type ${kinds[kind].type}, without a passphrase`)
  }
  return key
}

/** Whether a key can sign and verify. */
function isSound(key: ParsedKey): boolean {
  const words = 'a host key'
  const signature = key.sign(words)
  return Buffer.isBuffer(signature) && key.verify(words, signature) === true
}

const attempts = 10

/**
 * Generates a key. The library drops a leading zero byte, which one key in 256 has; such a key is invalid, and another one is
 * generated.
 */
export async function generateKey(ssh2: Ssh2, kind: Kind): Promise<{ text: string; key: ParsedKey }> {
  const make = promisify<Kind, object, { private: string }>(ssh2.utils.generateKeyPair)
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const text = (await make(kind, kinds[kind].options)).private
    const key = keyIn(ssh2, text, kind)
    if (key && isSound(key)) return { text: `${text.trim()}\n`, key }
  }
  throw new HostKeyError(`no sound key of the type ${kinds[kind].type} could be made`)
}

async function makeKey(ssh2: Ssh2, folder: string, kind: Kind): Promise<ParsedKey> {
  const path = pathOf(folder, kind)
  await createPrivateFile(path, (await generateKey(ssh2, kind)).text)
  const key = await readKey(ssh2, folder, kind)
  if (!key) throw new HostKeyError(`${path} could not be made`)
  return key
}

/**
 * Reads the host keys, and generates missing ones. Resolves before slow ones are ready.
 * @throws HostKeyError when a file is not a key, or is readable by other users
 */
export async function openHostKeys(ssh2: Ssh2, folder: string, log: SshLog): Promise<HostKeys> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const keyOf = async (kind: Kind) => (await readKey(ssh2, folder, kind)) ?? (await makeKey(ssh2, folder, kind))
  const keys = await Promise.all([keyOf('ed25519'), keyOf('ecdsa')])
  const slow = await readKey(ssh2, folder, 'rsa')
  if (slow) return { keys: () => [...keys, slow], complete: Promise.resolve() }
  const complete = makeKey(ssh2, folder, 'rsa').then(
    (key) => void keys.push(key),
    // Clients of the last ten years support the other kinds.
    (error) => log('error', 'the RSA host key could not be made', { err: error }),
  )
  return { keys: () => keys, complete }
}
