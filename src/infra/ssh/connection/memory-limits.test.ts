import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import {
  clock,
  endlessWriter,
  gone,
  knownClient,
  protocolOf,
  recklessClient,
  send,
  serversOfTests,
  socketOf,
  text,
  uint32,
} from '../hostile-testing.ts'
import type { SshSession } from '../index.ts'
import { execute, type Named, type TestSsh } from '../testing.ts'

const started = serversOfTests()

describe('memory limits for a client', () => {
  const openSession = (window: number, packetSize: number) =>
    Buffer.concat([Buffer.from([90]), text('session'), uint32(0), uint32(window), uint32(packetSize)])
  const exec = (command: string) =>
    Buffer.concat([Buffer.from([98]), uint32(0), text('exec'), Buffer.from([1]), text(command)])

  test('tiny packet sizes are refused', async () => {
    for (const size of [0, 1, 1023]) {
      const ran: string[] = []
      const server = await started({ run: async ({ command }) => ran.push(command) })
      const client = await recklessClient(server)
      send(client, openSession(2 ** 31, size))
      send(client, exec('x'))
      expect(
        await execute(client, 'y').then(
          () => 'ran',
          () => 'refused',
        ),
      ).toBeDefined()
      expect(ran).not.toContain('x')
      client.destroy()
      await isWellAgain(server)
    }
  })

  async function isWellAgain(server: TestSsh): Promise<void> {
    const client = await knownClient(server)
    client.end()
    await gone(client)
  }

  test('a client that exceeds its window is disconnected', async () => {
    const pushed = Promise.withResolvers<void>()
    const run = ({ signal }: SshSession<Named>) =>
      new Promise<number>((resolve) => {
        signal.addEventListener('abort', () => {
          pushed.resolve()
          resolve(0)
        })
      })
    const server = await started({ run })
    const client = await recklessClient(server)
    const over = gone(client)
    await execute(client, 'x')
    const data = Buffer.concat([Buffer.from([94]), uint32(0), uint32(32_000), Buffer.alloc(32_000)])
    for (let index = 0; index < 100; index += 1) send(client, data)
    await Promise.all([over, pushed.promise])
  })

  test('a client that opens its window and reads nothing blocks the command', async () => {
    const { run, written, stopped } = endlessWriter()
    const server = await started({ run })
    const client = await recklessClient(server)
    const socket = socketOf(client)
    send(client, openSession(2 ** 32 - 1, 2 ** 15))
    send(client, exec('x'))
    socket.pause()
    await expect.poll(written).toBeGreaterThan(0)
    // Only the socket buffers of both sides are filled.
    let before = -1
    await expect
      .poll(
        () => {
          const isStill = before === written()
          before = written()
          return isStill
        },
        { interval: 200 },
      )
      .toBe(true)
    expect(written()).toBeLessThan(64 * 1024 * 1024)
    socket.destroy()
    await stopped
  })

  test('an unfinished key exchange blocks the command until the client is disconnected', async () => {
    const time = clock()
    const begin = Promise.withResolvers<void>()
    const { run, written, stopped } = endlessWriter(begin.promise)
    const server = await started({ run, clock: time })
    const client = await recklessClient(server)
    await execute(client, 'x')
    // The client starts a key exchange, ignores the response, and opens its windows.
    const socket = socketOf(client)
    send(client, Buffer.concat([Buffer.from([93]), uint32(0), uint32(2 ** 31)]))
    socket.removeAllListeners('data')
    const answered = once(socket, 'data')
    protocolOf(client).rekey()
    await answered
    const over = once(socket.resume(), 'close')
    begin.resolve()
    // The only timer is the deadline of the exchange.
    await expect.poll(() => time.pendingTimers).toBe(1)
    time.advance(30_000)
    await Promise.all([over, stopped])
    expect(written()).toBeLessThan(16 * 1024 * 1024)
  })
})
