/** Clients that still send see the answer (contract 00, "Connections"). */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { insufficientStorage } from '../../operation/errors.ts'
import { type RequestInfo, streamOf } from '../../operation/request.ts'
import { demoServer, echo } from '../../testing.ts'
import { bytesOf } from '../body/streamed-body.ts'

const upload = echo({ method: 'POST', subject: { ...echo().subject, opensToAnonymous: () => false }, scopes: ['api'] })
const full = {
  async handle(request: { url: string; raw: Parameters<typeof bytesOf>[0] }): Promise<boolean> {
    if (request.url !== '/full') return false
    for await (const _chunk of bytesOf(request.raw, undefined)) throw insufficientStorage()
    return true
  },
}
const largeBytes = 40_000_000
const multipart = { fileBytes: 20_000_000, fieldBytes: 1_000, folder: join(tmpdir(), 'fennec-lingering') }
const server = () =>
  demoServer([upload], { services: [full as never], bodyLimits: { bodyBytes: 10_000_000, multipart } })
const head = (path: string, bytes = largeBytes) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nPRIVATE-TOKEN: nope\r\nContent-Length: ${bytes}\r\n\r\n`

const textOf = (socket: Socket) => {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

describe('a client that sends its whole body before it reads', () => {
  test.each([
    ['a refusal by the headers', '/api/v4/things', 401],
    ['a size above the limit', '/api/v4/things?large', 413],
    ['a full disk', '/full', 507],
  ])('sees %s', async (_name, path, status) => {
    await using demo = server()
    const socket = connect(await demo.listen(), '127.0.0.1')
    const errors: unknown[] = []
    socket.on('error', (error) => errors.push(error))
    await once(socket, 'connect')
    const bytes = path.includes('large') ? largeBytes : 9_000_000
    socket.pause()
    socket.write(head(path, bytes))
    const chunk = Buffer.alloc(1_000_000, 'x')
    for (let sent = 0; sent < bytes; sent += chunk.length) if (!socket.write(chunk)) await once(socket, 'drain')
    const text = textOf(socket)
    socket.resume()
    await once(socket, 'end')
    expect([text().split(' ')[1], errors]).toEqual([String(status), []])
    socket.destroy()
  })

  test('sees it with curl and with fetch', async () => {
    await using demo = server()
    const folder = await mkdtemp(join(tmpdir(), 'fennec-lingering-'))
    try {
      const url = `http://127.0.0.1:${await demo.listen()}/api/v4/things`
      const path = join(folder, 'body')
      await writeFile(path, Buffer.alloc(9_000_000, 'x'))
      const options = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', 'PRIVATE-TOKEN: nope']
      const { stdout } = await promisify(execFile)('curl', [...options, '-F', `file=@${path}`, url])
      expect(stdout).toBe('401')
      const form = new FormData()
      form.set('file', new Blob([Buffer.alloc(9_000_000, 'x')]), 'a')
      const answer = await fetch(url, { method: 'POST', headers: { 'PRIVATE-TOKEN': 'nope' }, body: form })
      expect(answer.status).toBe(401)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('the connection of a large body that is not read', () => {
  test('is closed for sending at once, and as a whole when no more data comes', async () => {
    const clock = manualClock({ start: '2026-01-02' })
    await using demo = demoServer([upload], { clock })
    const socket = connect({ port: await demo.listen(), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {}).write(`${head('/api/v4/things', 9_000_000)}begun`)
    const text = textOf(socket)
    await once(socket, 'end')
    expect(text()).toContain('connection: close')
    const connections = () =>
      new Promise<number>((resolve) => demo.server.server.getConnections((_error, count) => resolve(count)))
    expect(await connections()).toBe(1)
    clock.advance(10_000)
    await expect.poll(() => connections()).toBe(0)
    socket.destroy()
  })

  test('a small body that is not read leaves the connection open', async () => {
    const ignoring = {
      async handle(request: { url: string }, reply: { send(text: string): unknown }): Promise<boolean> {
        if (request.url !== '/ignore') return false
        reply.send('ignored')
        return true
      },
    }
    await using demo = demoServer([echo()], { services: [ignoring as never] })
    const socket = connect(await demo.listen(), '127.0.0.1')
    const text = textOf(socket)
    socket.write(`${head('/ignore', 1_000)}half`)
    await once(socket, 'data')
    socket.write(`${'x'.repeat(996)}GET /api/v4/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
    expect(text().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })

  test.each([
    ['stopped in its middle', false],
    ['still waits for data', true],
  ])('a small body whose reader %s leaves the connection open', async (_name, waits) => {
    const leaving = echo({
      ...{ id: 'things.leave', method: 'PUT', stream: 'application/octet-stream' },
      async run({ request }: { request: RequestInfo }) {
        const bytes = streamOf(request)[Symbol.asyncIterator]()
        await bytes.next()
        if (waits) void bytes.next().catch(() => {})
        throw insufficientStorage()
      },
    } as never)
    const clock = manualClock({ start: '2026-01-02' })
    await using demo = demoServer([echo(), leaving], { clock, bodyLimits: { bodyBytes: 10_000_000, multipart, clock } })
    const socket = connect(await demo.listen(), '127.0.0.1')
    const text = textOf(socket)
    socket.write(`PUT /api/v4/things HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(500)}`)
    await expect.poll(text).toContain('HTTP/1.1 507')
    const again = 'GET /api/v4/things HTTP/1.1\r\nHost: x\r\n'
    socket.write(`${'x'.repeat(500)}${again}\r\n`)
    await expect.poll(text).toContain('HTTP/1.1 200 OK')
    for (let second = 0; second < 120; second++) clock.advance(1_000)
    socket.write(`${again}Connection: close\r\n\r\n`)
    await once(socket, 'close')
    expect(text().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })

  test('a connection of many small bodies that are not read keeps nothing of them', async () => {
    const listeners: number[] = []
    const ignoring = {
      async handle({ raw }: { raw: IncomingMessage }, reply: { send(text: string): unknown }): Promise<boolean> {
        listeners.push(raw.socket.listenerCount('close'))
        reply.send('ignored')
        return true
      },
    }
    await using demo = demoServer([], { services: [ignoring as never] })
    const socket = connect(await demo.listen(), '127.0.0.1')
    for (let count = 0; count < 5; count++) {
      socket.write(`${head('/', 1_000)}half`)
      await once(socket, 'data')
      socket.write('x'.repeat(996))
    }
    socket.destroy()
    expect(new Set(listeners).size).toBe(1)
  })
})
