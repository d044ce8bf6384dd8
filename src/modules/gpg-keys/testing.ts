import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrivateKey } from 'openpgp'
import type { TestServer } from '../../testing/index.ts'

/** A key with which a test signs. */
export type TestKey = { publicText: string; privateKey: PrivateKey; keyId: string; subkeyId: string | null }

/** Makes a key that certifies these addresses. @param options `subkey`: whether a subkey signs */
export async function makeKey(emails: readonly string[], { subkey = false } = {}): Promise<TestKey> {
  const { generateKey } = await import('openpgp')
  const { privateKey } = await generateKey({
    userIDs: emails.map((email) => ({ name: `Owner of ${email}`, email })),
    subkeys: subkey ? [{ sign: true }] : [],
    // Signatures of tests may bear an earlier time.
    date: new Date('2020-01-01T00:00:00Z'),
    format: 'object',
  })
  const [signing] = privateKey.getSubkeys()
  return {
    publicText: privateKey.toPublic().armor(),
    privateKey,
    keyId: privateKey.getKeyID().toHex().toUpperCase(),
    subkeyId: signing?.getKeyID().toHex().toUpperCase() ?? null,
  }
}

/** Signs bytes as `gpg --detach-sign --armor` does. */
export async function signText(
  { privateKey }: TestKey,
  text: string,
  { times = 1, date = new Date('2024-01-01T00:00:00Z') } = {},
): Promise<string> {
  const { createMessage, sign } = await import('openpgp')
  const signingKeys = Array.from({ length: times }, () => privateKey)
  const message = await createMessage({ binary: new Uint8Array(Buffer.from(text)) })
  return sign({ message, signingKeys, detached: true, format: 'armored', date })
}

/** The raw text of a commit without files. */
export function commitText(committer: string, message = 'signed'): string {
  const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
  return `tree ${tree}\nauthor ${committer} 1700000000 +0000\ncommitter ${committer} 1700000000 +0000\n\n${message}\n`
}

/** Puts a signature into the text of a commit, as git does. */
export function withSignature(commit: string, signature: string): string {
  return commit.replace('\n\n', `\ngpgsig ${signature.replaceAll('\r', '').trimEnd().replaceAll('\n', '\n ')}\n\n`)
}

/** Whether the machine has GnuPG. */
export function hasGnupg(): boolean {
  try {
    execFileSync('gpg', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A home of GnuPG in a folder, with a new key, for signing by git. */
export async function gnupgHome(folder: string, email: string) {
  const home = join(folder, 'gnupg')
  await mkdir(home, { mode: 0o700 })
  const run = (...args: string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  run('--passphrase', '', '--quick-gen-key', `Tester <${email}>`, 'ed25519', 'sign', '0')
  const program = join(folder, 'sign.sh')
  await writeFile(program, `#!/bin/sh\nexec gpg --homedir '${home}' "$@"\n`, { mode: 0o755 })
  return {
    publicText: run('--armor', '--export', email),
    /** For `gpg.program` of git. */
    program,
    stop: () => execFileSync('gpgconf', ['--homedir', home, '--kill', 'all'], { stdio: 'ignore' }),
  }
}

/** The status of the signature of a commit, and the members that describe its key. */
export async function signatureOf(server: TestServer, projectId: number, oid: string | undefined) {
  const { status, body } = await server.root.get(`/projects/${projectId}/repository/commits/${oid}/signature`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
