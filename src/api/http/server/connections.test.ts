import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { demoServer, echo } from '../../testing.ts'
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

describe('a client that closes its sending side after the request', () => {
  const get = 'GET /api/v4/things HTTP/1.1\r\nHost: x\r\n\r\n'
  const body = '{"title":"a"}'
  const post = `POST /api/v4/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  /** What the server sends until it closes the connection too. */
  async function answersTo(port: number, request: string, onEnd: () => void = () => {}): Promise<string> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.end(request, onEnd)
    await once(socket, 'close')
    return text
  }

  test.each([
    ['one request', get],
    ['a body', post],
    ['two requests at once', get + get],
  ])('gets its answer: %s', async (_name, request) => {
    const run = async () => {
      await ended.promise
      return { done: true }
    }
    const ended = Promise.withResolvers<void>()
    await using demo = demoServer([echo({ run }), echo({ id: 'post', method: 'POST', run })])
    demo.server.server.on('connection', (socket) => socket.once('end', () => ended.resolve()))
    const text = await answersTo(await demo.listen(), request)
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(request === get + get ? 2 : 1)
    expect(text.endsWith('{"done":true}')).toBe(true)
  })

  test('is asked whether it still waits while the answer takes long', async () => {
    const asked = Promise.withResolvers<void>()
    const run = async () => {
      await asked.promise
      return { done: true }
    }
    await using demo = demoServer([echo({ run })])
    const socket = connect({ port: await demo.listen(), host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      asked.resolve()
    })
    socket.end(get)
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1\.1 102 Processing\r\n\r\n(HTTP\/1\.1 102 Processing\r\n\r\n)*HTTP\/1\.1 200 OK/)
  })
})
