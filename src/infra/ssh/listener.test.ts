import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { ssh } from '../../testing/git/ssh.ts'
import { gone, recklessClient, serversOfTests } from './hostile-testing.ts'
import { listenForSsh } from './index.ts'
import { clientOf, closed, execute, rawConnection, startTestSsh, type TestSsh } from './testing.ts'

const started = serversOfTests()

describe('closing the listener', () => {
  test('waits for running commands, and refuses connections', async () => {
    const finish = Promise.withResolvers<number>()
    const server = await startTestSsh({ run: () => finish.promise })
    const pair = await server.key('last')
    const { client, ready } = clientOf(server, { privateKey: await readFile(pair.path) })
    await ready
    const channel = await execute(client, 'x')
    const idle = clientOf(server, { privateKey: await readFile(pair.path) })
    await idle.ready
    const idleGone = gone(idle.client)
    const code = new Promise((resolve) => channel.resume().on('exit', resolve))
    const over = server.listener.close({ drainMs: 60_000 })
    await idleGone
    expect((await ssh(server, pair)).code).toBe(255)
    finish.resolve(4)
    expect(await code).toBe(4)
    await over
    await server[Symbol.asyncDispose]()
  })

  test('destroys connections after the drain time', async () => {
    const server = await startTestSsh({ run: () => new Promise(() => {}) })
    const client = await recklessClient(server)
    await execute(client, 'x')
    const over = gone(client)
    await server.listener.close({ drainMs: 10 })
    await over
    await server[Symbol.asyncDispose]()
  })

  test('a port in use is named in the error', async () => {
    const server = await started()
    await expect(listenForSsh(server.app.ssh)).rejects.toThrow(`port ${server.app.ssh.port} for SSH is in use`)
  })

  test('connections before serve() are refused', async () => {
    await using listener = await listenForSsh({ host: '127.0.0.1', port: 0 })
    const early = { app: { ssh: listener.address } } as TestSsh
    await closed(await rawConnection(early))
  })
})

test('a failing look-up ends the connection, and is logged', async () => {
  const server = await started({
    async authenticate() {
      throw new Error('the database is gone')
    },
  })
  const pair = await server.key('any')
  expect((await ssh(server, pair)).code).toBe(255)
  expect(server.logged).toEqual(['error: a client could not be identified Error: the database is gone'])
})
