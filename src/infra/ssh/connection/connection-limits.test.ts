import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { clock, gone, knownClient, serversOfTests, strangerOf } from '../hostile-testing.ts'
import { defaultSshLimits } from '../index.ts'
import { closed, execute, rawConnection } from '../testing.ts'
import { createAdmission } from './admission.ts'

const started = serversOfTests()
const stranger = () => strangerOf(started)

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
    // The server's key exchange message has arrived.
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
    const admit = createAdmission({
      ...defaultSshLimits,
      connections: 5,
      connectionsPerAddress: 4,
      unknownConnections: 2,
    })
    const first = admit('192.0.2.1')
    const second = admit('192.0.2.1')
    expect(admit('192.0.2.2')).toBeNull()
    first?.markAuthenticated()
    first?.markAuthenticated()
    const third = admit('192.0.2.2')
    expect(third).not.toBeNull()
    expect(admit('192.0.2.3')).toBeNull()
    second?.release()
    third?.markAuthenticated()
    expect([1, 2, 3].map(() => admit('192.0.2.9')?.markAuthenticated())).toHaveLength(3)
    expect(admit('192.0.2.10')).toBeNull()
    first?.release()
    expect(admit('192.0.2.10')).not.toBeNull()
  })

  test('count an IPv6 /64 network as one address, and a mapped address as IPv4', () => {
    const admit = createAdmission({ ...defaultSshLimits, connectionsPerAddress: 1 })
    expect(admit('2001:db8:1:2::1')).not.toBeNull()
    expect(admit('2001:db8:1:2:ffff::9')).toBeNull()
    expect(admit('2001:db8:1:3::1')).not.toBeNull()
    expect(admit('::ffff:192.0.2.1')).not.toBeNull()
    expect(admit('192.0.2.1')).toBeNull()
    expect(admit('::ffff:192.0.2.2')).not.toBeNull()
    expect(admit('::1')).not.toBeNull()
    expect(admit('::2')).toBeNull()
    expect(admit('')).not.toBeNull()
  })
})
