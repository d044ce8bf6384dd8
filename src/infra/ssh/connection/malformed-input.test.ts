import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { gone, isWell, recklessClient, send, serversOfTests, strangerOf, text, uint32 } from '../hostile-testing.ts'
import { clientOf, closed, rawConnection, type TestSsh } from '../testing.ts'

const started = serversOfTests()
const stranger = () => strangerOf(started)

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

  /** Records what a real client sends until it is authenticated. */
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
