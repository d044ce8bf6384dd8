import { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import ssh2, { type Connection, type ServerConfig } from 'ssh2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf, execute, startTestSsh, type TestSsh } from '../testing.ts'

const connections: Connection[] = []
const { Server } = ssh2

/** Shows the library's connections to this test. */
class Watched extends Server {
  constructor(config: ServerConfig, onConnection: (connection: Connection) => void) {
    super(config, (connection) => {
      connections.push(connection)
      onConnection(connection)
    })
  }
}

let server: TestSsh
beforeAll(async () => {
  Object.assign(ssh2, { Server: Watched })
  server = await startTestSsh()
})
afterAll(async () => {
  Object.assign(ssh2, { Server })
  await server[Symbol.asyncDispose]()
})

/** The keys with which the library makes a cipher for each packet. */
function keysOf(connection: Connection | undefined): unknown[] {
  const { _protocol } = connection as never as Record<string, Record<string, Record<string, unknown>>>
  return [_protocol?._cipher?._encKey, _protocol?._decipher?._decipherKey]
}

test('the keys of a connection are objects, also after another key exchange', async () => {
  const { path } = await server.key('ann')
  const { client, ready } = clientOf(server, { privateKey: await readFile(path) })
  await ready
  const echoed = async () => {
    const channel = await execute(client, 'echo')
    channel.end(Buffer.alloc(300_000, 'a'))
    return (await channel.toArray()).reduce((bytes, chunk) => bytes + chunk.length, 0)
  }
  expect(await echoed()).toBe(300_000)
  const first = keysOf(connections[0])
  expect(first.every((key) => key instanceof KeyObject)).toBe(true)
  await new Promise<void>((resolve) => connections[0]?.rekey(resolve))
  expect(await echoed()).toBe(300_000)
  const second = keysOf(connections[0])
  expect(second.every((key) => key instanceof KeyObject)).toBe(true)
  expect(second[0]).not.toBe(first[0])
  client.end()
})
