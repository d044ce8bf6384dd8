import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/git/git.ts'
import { openHostKeys } from './host-keys.ts'

const run = promisify(execFile)
const files = ['ssh_host_ecdsa_key', 'ssh_host_ed25519_key', 'ssh_host_rsa_key']
const log = () => {}

async function opened(folder: string): Promise<string[]> {
  const keys = await openHostKeys((await import('ssh2')).default, folder, log)
  await keys.complete
  return keys.keys().map((key) => key.getPublicSSH().toString('base64'))
}

test('host keys are generated once, readable only by the owner', async () => {
  await using folder = await temporaryDirectory()
  const path = join(folder.path, 'data', 'ssh')
  const first = await opened(path)
  expect(first).toHaveLength(3)
  expect((await readdir(path)).sort()).toEqual(files)
  for (const file of files) expect((await stat(join(path, file))).mode & 0o777).toBe(0o600)
  expect((await stat(path)).mode & 0o777).toBe(0o700)
  expect(await opened(path)).toEqual(first)
})

test('host keys have the format of OpenSSH and sufficient sizes', async () => {
  await using folder = await temporaryDirectory()
  await opened(folder.path)
  const told = await Promise.all(files.map((file) => run('ssh-keygen', ['-l', '-f', join(folder.path, file)])))
  expect(told.map(({ stdout }) => stdout.replace(/ SHA256:\S+ .* /, ' '))).toEqual([
    '256 (ECDSA)\n',
    '256 (ED25519)\n',
    '3072 (RSA)\n',
  ])
})

test('concurrent starts use one set of keys', async () => {
  await using folder = await temporaryDirectory()
  const all = await Promise.all(Array.from({ length: 6 }, () => opened(folder.path)))
  const sets = new Set(all.map((keys) => keys.join()))
  expect(sets.size).toBe(1)
  expect((await readdir(folder.path)).sort()).toEqual(files)
})

test('the fast keys are available before the slow one', async () => {
  await using folder = await temporaryDirectory()
  const keys = await openHostKeys((await import('ssh2')).default, folder.path, log)
  expect(keys.keys().map(({ type }) => type)).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256'])
  await keys.complete
  expect(keys.keys().map(({ type }) => type)).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa'])
})

test('an invalid generated key is replaced', async () => {
  await using folder = await temporaryDirectory()
  const ssh2 = (await import('ssh2')).default
  const { generateKeyPair } = ssh2.utils
  let damaged = 0
  // The library damages one key in 256, whose number begins with a zero.
  const careless = (kind: 'ed25519', options: object, done: (error: Error | null, pair?: object) => void) =>
    generateKeyPair(kind, options, (error, pair) => {
      if (error || damaged === 5) return done(error, pair)
      damaged += 1
      done(null, { ...pair, private: pair.private.replace(/(?<=KEY-----\n.{100}).{20}/s, '') })
    })
  const utils = { ...ssh2.utils, generateKeyPair: careless } as typeof ssh2.utils
  const keys = await openHostKeys({ ...ssh2, utils }, folder.path, log)
  await keys.complete
  expect(damaged).toBe(5)
  const again = await openHostKeys(ssh2, folder.path, log)
  expect(again.keys().map(({ type }) => type)).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa'])
})

test('a key file that is readable by others or malformed is named in the error', async () => {
  await using folder = await temporaryDirectory()
  await opened(folder.path)
  const path = join(folder.path, 'ssh_host_ed25519_key')
  const good = await readFile(path, 'utf8')
  const rsa = await readFile(join(folder.path, 'ssh_host_rsa_key'), 'utf8')
  await chmod(path, 0o640)
  await expect(opened(folder.path)).rejects.toThrow(`${path} can be read by others: its mode must be 0600`)
  await chmod(path, 0o600)
  for (const text of ['', 'nonsense', good.slice(0, 200), rsa, good.replace('BEGIN', 'BEGINN'), '\u0000'.repeat(300)]) {
    await writeFile(path, text)
    await expect(opened(folder.path)).rejects.toThrow(
      `${path} is damaged: it must hold a private key of the type ssh-ed25519, without a passphrase`,
    )
  }
  await writeFile(path, good)
  expect(await opened(folder.path)).toHaveLength(3)
})

test('a folder at the path of a key is reported, and not replaced', async () => {
  await using folder = await temporaryDirectory()
  const path = join(folder.path, 'ssh_host_rsa_key')
  await mkdir(path, { mode: 0o700 })
  await expect(opened(folder.path)).rejects.toThrow(`${path} cannot be read`)
})
