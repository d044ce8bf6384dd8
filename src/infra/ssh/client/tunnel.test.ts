import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../../testing/programs.ts'
import { startTestSsh, type TestSsh } from '../testing.ts'
import { makeKeyPair } from './key-pair.ts'
import { openSshTunnel, type SshRemote } from './tunnel.ts'

let ssh: TestSsh
let privateKey: string
beforeAll(async () => {
  ssh = await startTestSsh()
  const keys = await makeKeyPair('tested')
  privateKey = keys.privateKey
  ssh.known.set(keys.publicKey.split(' ')[1] ?? '', 'tested')
})
afterAll(() => ssh[Symbol.asyncDispose]())

const remote = (more: Partial<SshRemote> = {}): SshRemote => {
  const { host, port } = ssh.app.ssh
  return { address: host, port, username: 'git', privateKey, hostKey: null, ...more }
}

/** Runs a command as git does. */
const run = (command: string, there: string, input?: Buffer) =>
  runProgram({ binary: '/bin/sh', parameters: ['-c', `${command} "$@"`, 'sh', 'git@remote', there], env: {}, input })

const typeOf = (key: string | null) =>
  Buffer.from(key ?? '', 'base64')
    .subarray(4)
    .toString('latin1')
    .match(/^[a-z0-9-]+/)?.[0]

describe('a tunnel', () => {
  test('runs commands there, and learns the key of the server', async () => {
    await using tunnel = await openSshTunnel(remote())
    expect(tunnel.hostKey()).toBeNull()
    expect(await run(tunnel.command, 'whoami')).toMatchObject({ code: 0, stdout: 'tested\n' })
    expect([typeOf(tunnel.hostKey()), tunnel.failure()]).toEqual(['ssh-ed25519', null])
    await using again = await openSshTunnel(remote({ hostKey: tunnel.hostKey() }))
    expect(await run(again.command, 'whoami')).toMatchObject({ stdout: 'tested\n' })
  })

  test('passes megabytes both ways', async () => {
    await using tunnel = await openSshTunnel(remote())
    const sent = Buffer.from(randomBytes(3 * 1024 * 1024).toString('base64'))
    const { stdout } = await run(tunnel.command, 'echo', sent)
    expect(stdout === sent.toString()).toBe(true)
  })

  test('collects what commands say on standard error, up to a bound', async () => {
    await using tunnel = await openSshTunnel(remote())
    await run(tunnel.command, 'say not here')
    expect(tunnel.said()).toBe('not here\n')
    await run(tunnel.command, `say ${'x'.repeat(3_000)}`)
    await run(tunnel.command, `say ${'y'.repeat(3_000)}`)
    expect(tunnel.said().length).toBe(4_096)
  })

  test('runs no command with a line break, nor a very long one', async () => {
    await using tunnel = await openSshTunnel(remote())
    expect(await run(tunnel.command, 'whoami\nwhoami')).toMatchObject({ code: 1, stdout: '' })
    expect(await run(tunnel.command, 'w'.repeat(100_000))).toMatchObject({ stdout: '' })
    expect(tunnel.hostKey()).toBeNull()
  })

  test('knows no other server than the one with the key', async () => {
    await using other = await startTestSsh()
    const { host, port } = other.app.ssh
    await using first = await openSshTunnel(remote())
    await run(first.command, 'whoami')
    await using tunnel = await openSshTunnel(remote({ address: host, port, hostKey: first.hostKey() }))
    expect(await run(tunnel.command, 'whoami')).toMatchObject({ stdout: '' })
    expect([tunnel.failure(), tunnel.hostKey(), other.asked]).toEqual(['host_key', null, []])
  })

  test.each([
    ['another key', async () => ({ privateKey: (await makeKeyPair('other')).privateKey })],
    ['a password', async () => ({ privateKey: undefined, password: 'secret' })],
  ])('is refused with %s', async (_, credential) => {
    await using tunnel = await openSshTunnel(remote(await credential()))
    expect(await run(tunnel.command, 'whoami')).toMatchObject({ stdout: '' })
    expect([tunnel.failure(), tunnel.hostKey()]).toEqual(['authentication', null])
  })

  test('reports a server that cannot be reached, or speaks something else', async () => {
    const silent = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    )
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve)
    })
    const { port } = silent.address() as { port: number }
    await using odd = await openSshTunnel(remote({ address: '127.0.0.1', port }))
    await run(odd.command, 'whoami')
    await new Promise((resolve) => silent.close(resolve))
    await using gone = await openSshTunnel(remote({ address: '127.0.0.1', port }))
    await run(gone.command, 'whoami')
    expect([odd.failure(), gone.failure()]).toEqual(['unreachable', 'unreachable'])
  })
})

test('a pair of keys is as OpenSSH has them', async () => {
  const { privateKey: text, publicKey } = await makeKeyPair('a comment')
  expect(publicKey).toMatch(/^ssh-ed25519 [A-Za-z0-9+/]{68} a comment$/)
  expect(text).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----\n[\w+/=\n]+-----END OPENSSH PRIVATE KEY-----\n$/)
  const path = `${ssh.folder}/pair`
  await writeFile(path, text, { mode: 0o600 })
  const derived = await runProgram({
    binary: 'ssh-keygen',
    parameters: ['-y', '-f', path],
    env: { PATH: process.env.PATH },
  })
  expect(derived.stdout.trim().split(' ').slice(0, 2)).toEqual(publicKey.split(' ').slice(0, 2))
})
