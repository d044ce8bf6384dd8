import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { watchConnections } from './connections.ts'

test('unused connections are closed, those with a request under way are not', async () => {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url === '/wait') waiting.push(response)
    else response.end('done')
  })
  const connections = watchConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async (path: string | null) => {
    const accepted = once(server, 'connection')
    const socket = connect(port, '127.0.0.1')
    await Promise.all([accepted, once(socket, 'connect')])
    if (path) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return socket
  }
  const silent = await open(null)
  const served = await open('/now')
  await once(served, 'data')
  const asked = once(server, 'request')
  const patient = await open('/wait')
  await asked
  const closed = Promise.all([once(silent, 'close'), once(served, 'close')])
  server.close()
  connections.closeUnused()
  await closed
  expect(patient.destroyed).toBe(false)
  const answered = once(patient, 'data')
  waiting[0]?.end('at last')
  expect(String((await answered)[0])).toContain('at last')
  connections.closeUnused()
  await once(patient, 'close')
})
