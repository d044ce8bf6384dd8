import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { ssh } from '../../testing/ssh.ts'
import { manualClock } from '../clock/index.ts'
import { createAdmission } from './admission.ts'
import {
  endlessWriter,
  gone,
  isWell,
  knownClient,
  protocolOf,
  recklessClient,
  send,
  socketOf,
  text,
  uint32,
} from './hostile-testing.ts'
import { defaultSshLimits, listenForSsh, type SshSession } from './index.ts'
import { clientOf, closed, execute, type Named, rawConnection, startTestSsh, type TestSsh } from './testing.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]()
})

async function started(options: Parameters<typeof startTestSsh>[0] = {}): Promise<TestSsh> {
  const server = await startTestSsh(options)
  open.push(server)
  return server
}

const clock = () => manualClock({ start: '2026-01-01T00:00:00Z' })

/** A server with a manual clock, and an unauthenticated connection to it. */
async function stranger() {
  const time = clock()
  const server = await started({ clock: time })
  const socket = await rawConnection(server)
  return { time, server, socket, over: closed(socket) }
}

describe('an unauthenticated client', () => {
  test('that sends nothing is disconnected', async () => {
    const { time, socket, over } = await stranger()
    await once(socket, 'data')
    time.advance(29_999)
    expect(socket.closed).toBe(false)
    time.advance(1)
    await over
  })

  test('that stops during the handshake is disconnected', async () => {
    const { time, socket, over } = await stranger()
    socket.write('SSH-2.0-Slow\r\n')
    // The server's part of the key exchange has come.
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(200)
    time.advance(30_000)
    await over
  })

  test('that sends single bytes is disconnected', async () => {
    const { time, socket, over } = await stranger()
    for (let second = 0; second < 31; second += 1) {
      socket.write('S')
      await new Promise((resolve) => setImmediate(resolve))
      time.advance(1000)
    }
    await over
  })

  test('may be idle for a while after authentication', async () => {
    const time = clock()
    const server = await started({ clock: time })
    const client = await knownClient(server)
    const over = gone(client)
    time.advance(599_000)
    const channel = await execute(client, 'exit 0')
    await once(channel.resume(), 'close')
    time.advance(599_000)
    await once((await execute(client, 'exit 0')).resume(), 'close')
    time.advance(600_000)
    await over
  })
})

describe('connection limits', () => {
  test('bound the connections of one address, until others have closed', async () => {
    const server = await started({ limits: { connectionsPerAddress: 3 } })
    const sockets = await Promise.all([rawConnection(server), rawConnection(server), rawConnection(server)])
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    await closed(await rawConnection(server))
    sockets[0]?.destroy()
    await expect
      .poll(async () => {
        const socket = await rawConnection(server)
        const served = await Promise.race([once(socket, 'data').then(() => true), closed(socket).then(() => false)])
        socket.destroy()
        return served
      })
      .toBe(true)
    for (const socket of sockets) socket.destroy()
  })

  test('bound unauthenticated connections separately', () => {
    const admission = createAdmission({
      ...defaultSshLimits,
      connections: 5,
      connectionsPerAddress: 4,
      unknownConnections: 2,
    })
    const first = admission.enter('192.0.2.1')
    const second = admission.enter('192.0.2.1')
    expect(admission.enter('192.0.2.2')).toBeNull()
    first?.markAuthenticated()
    first?.markAuthenticated()
    const third = admission.enter('192.0.2.2')
    expect(third).not.toBeNull()
    expect(admission.enter('192.0.2.3')).toBeNull()
    second?.release()
    second?.release()
    third?.markAuthenticated()
    expect([1, 2, 3].map(() => admission.enter('192.0.2.9')?.markAuthenticated())).toHaveLength(3)
    expect(admission.enter('192.0.2.10')).toBeNull()
    first?.release()
    expect(admission.enter('192.0.2.10')).not.toBeNull()
  })

  test('count an IPv6 /64 network as one address, and a mapped address as IPv4', () => {
    const admission = createAdmission({ ...defaultSshLimits, connectionsPerAddress: 1 })
    expect(admission.enter('2001:db8:1:2::1')).not.toBeNull()
    expect(admission.enter('2001:db8:1:2:ffff::9')).toBeNull()
    expect(admission.enter('2001:db8:1:3::1')).not.toBeNull()
    expect(admission.enter('::ffff:192.0.2.1')).not.toBeNull()
    expect(admission.enter('192.0.2.1')).toBeNull()
    expect(admission.enter('::ffff:192.0.2.2')).not.toBeNull()
    expect(admission.enter('::1')).not.toBeNull()
    expect(admission.enter('::2')).toBeNull()
    expect(admission.enter('')).not.toBeNull()
  })
})

describe('malformed input', () => {
  const beginning = 'SSH-2.0-Nonsense\r\n'
  const cases: [string, Buffer[]][] = [
    ['random bytes', [randomBytes(4096)]],
    ['an old protocol', [Buffer.from('SSH-1.5-Old\r\n')]],
    ['HTTP', [Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')]],
    ['a line without end', [Buffer.alloc(100_000, 'S')]],
    ['a thousand lines', [Buffer.from('hello\r\n'.repeat(2000))]],
    ['random packets', [Buffer.from(beginning), randomBytes(4096)]],
    ['a packet of four gigabytes', [Buffer.from(beginning), Buffer.alloc(5000, 0xff)]],
    ['a packet of no length', [Buffer.from(beginning), Buffer.alloc(64)]],
    [
      'more padding than packet',
      [Buffer.from(beginning), Buffer.from([0, 0, 0, 12, 255, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
    ],
    [
      'a key exchange that ends in the middle',
      [Buffer.from(beginning), uint32(60), Buffer.from([4, 20]), Buffer.alloc(58, 1)],
    ],
    [
      'lists longer than the packet',
      [Buffer.from(beginning), uint32(60), Buffer.from([4, 20]), Buffer.alloc(16), Buffer.alloc(42, 0x7f)],
    ],
  ]

  test.each(cases)('%s ends only its connection', async (_name, pieces) => {
    const { time, server, socket, over } = await stranger()
    for (const piece of pieces) socket.write(piece)
    // An incomplete packet ends the connection only at the time limit.
    const soon = await Promise.race([over.then(() => true), isWell(server).then(() => false)])
    if (!soon) time.advance(30_000)
    await over
    await isWell(server)
    expect(server.logged).toEqual([])
  })

  test('a truncated or changed handshake does not affect the server', async () => {
    const server = await started()
    const recorded = await recordedHandshake(server)
    const cuts = Array.from({ length: 40 }, (_, index) => Math.floor((recorded.length * (index + 1)) / 41))
    await Promise.all(
      cuts.map(async (cut) => {
        const socket = await rawConnection(server)
        socket.end(recorded.subarray(0, cut))
        await closed(socket)
      }),
    )
    await Promise.all(
      cuts.map(async (cut) => {
        const changed = Buffer.from(recorded)
        changed[cut] = (changed[cut] ?? 0) ^ 0xff
        const socket = await rawConnection(server)
        socket.end(changed)
        await closed(socket)
      }),
    )
    await isWell(server)
    expect(server.logged).toEqual([])
  })

  /** What a real client sends until it is known. */
  async function recordedHandshake(server: TestSsh): Promise<Buffer> {
    const sent: Buffer[] = []
    const pair = await server.key('recorded')
    const socket: Socket = await rawConnection(server)
    const write = socket.write.bind(socket)
    socket.write = ((chunk: Buffer | string, ...more: never[]) => {
      sent.push(Buffer.from(chunk as string))
      return write(chunk, ...more)
    }) as typeof socket.write
    const { client, ready } = clientOf(server, { sock: socket, privateKey: await readFile(pair.path) })
    await ready
    client.end()
    return Buffer.concat(sent)
  }

  const packets: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['an unknown kind', Buffer.from([255, 1, 2, 3])],
    ['a channel that ends before it begins', Buffer.from([90])],
    ['a channel of an unknown kind', Buffer.concat([Buffer.from([90]), text('what'), uint32(0), uint32(0), uint32(0)])],
    ['data for a channel that is not there', Buffer.concat([Buffer.from([94]), uint32(2 ** 32 - 1), text('x')])],
    ['a window for one', Buffer.concat([Buffer.from([93]), uint32(77), uint32(2 ** 32 - 1)])],
    ['a request to one', Buffer.concat([Buffer.from([98]), uint32(77), text('exec'), Buffer.from([1]), text('x')])],
    ['a request that is cut off', Buffer.concat([Buffer.from([98]), uint32(0), uint32(1000)])],
    [
      'a name for authentication once more',
      Buffer.concat([Buffer.from([50]), text('root'), text('ssh-connection'), text('none')]),
    ],
    ['the answer to a question that was not asked', Buffer.concat([Buffer.from([61]), uint32(2 ** 31)])],
    [
      'keys of a host',
      Buffer.concat([Buffer.from([80]), text('hostkeys-00@openssh.com'), Buffer.from([1]), text('x')]),
    ],
    ['a forwarding that is cut off', Buffer.concat([Buffer.from([80]), text('tcpip-forward'), Buffer.from([1])])],
  ]
  test.each(packets)('%s from an authenticated client does not affect the server', async (_name, packet) => {
    const server = await started()
    const client = await recklessClient(server)
    send(client, packet)
    for (let index = 0; index < 20; index += 1) send(client, randomBytes(1 + index * 7))
    client.end()
    await gone(client)
    await isWell(server)
    expect(server.logged).toEqual([])
  })
})

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
    // What the two systems' sockets hold is all that there is.
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
    // The client begins an exchange, swallows what is answered, and opens its windows.
    const socket = socketOf(client)
    send(client, Buffer.concat([Buffer.from([93]), uint32(0), uint32(2 ** 31)]))
    socket.removeAllListeners('data')
    const answered = once(socket, 'data')
    protocolOf(client).rekey()
    await answered
    const over = once(socket.resume(), 'close')
    begin.resolve()
    // The clock stands still but for the deadline of the exchange.
    await expect.poll(() => time.pendingTimers).toBe(1)
    time.advance(30_000)
    await Promise.all([over, stopped])
    expect(written()).toBeLessThan(16 * 1024 * 1024)
  })
})

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
