import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { selfSigned } from './fixtures.ts'
import { BlockedAddress, openOutbound, sendOutbound } from './index.ts'

let server: Server
let port: number
const received: unknown[] = []
beforeAll(async () => {
  server = createServer(async (request, response) => {
    received.push([request.method, request.url, request.headers.host, await text(request)])
    if (request.url === '/silent') return
    if (request.url === '/moved') return void response.writeHead(302, { Location: '/elsewhere' }).end()
    response.writeHead(200, { 'X-Told': 'yes' }).end('x'.repeat(100))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

const allowed = { allowLocal: true }
const limits = { policy: allowed, timeoutMs: 5_000, maximumBytes: 1_000, method: 'POST' } as const
const at = (path: string, host = '127.0.0.1') => new URL(`http://${host}:${port}${path}`)

describe('an outbound request', () => {
  test('returns the answer', async () => {
    const answer = await sendOutbound({ ...limits, url: at('/a?b=c'), body: 'hé' })
    expect([answer.status, answer.headers['x-told'], answer.body.toString()]).toEqual([200, 'yes', 'x'.repeat(100)])
    expect(received.at(-1)).toEqual(['POST', '/a?b=c', `127.0.0.1:${port}`, 'hé'])
  })

  test('connects to the checked address of a name', async () => {
    const url = at('/named', 'fennec.invalid')
    const answer = await sendOutbound({ ...limits, url, lookup: async () => ['127.0.0.1'] })
    expect(answer.status).toBe(200)
    expect(received.at(-1)).toEqual(['POST', '/named', `fennec.invalid:${port}`, ''])
  })

  test('sends a body that is streamed, and ends when it fails', async () => {
    const { maximumBytes: _, ...unlimited } = limits
    const stream = Readable.from([Buffer.from('ab'), Buffer.from('cd')])
    const answer = await openOutbound({ ...unlimited, url: at('/streamed'), body: { sizeBytes: 4, stream } })
    expect(await text(answer.stream)).toBe('x'.repeat(100))
    expect(received.at(-1)).toEqual(['POST', '/streamed', `127.0.0.1:${port}`, 'abcd'])
    async function* failing() {
      yield Buffer.from('ab')
      throw new Error('the file is gone')
    }
    const body = { sizeBytes: 4, stream: Readable.from(failing()) }
    await expect(openOutbound({ ...unlimited, url: at('/streamed'), body })).rejects.toThrow()
  })

  test('ends with its signal', async () => {
    const { maximumBytes: _, ...unlimited } = limits
    const ending = new AbortController()
    const opened = openOutbound({ ...unlimited, url: at('/silent'), signal: ending.signal })
    ending.abort(new Error('no more'))
    await expect(opened).rejects.toThrow()
  })

  test('follows no redirect', async () => {
    const { status, headers } = await sendOutbound({ ...limits, method: 'GET', url: at('/moved') })
    expect([status, headers.location]).toEqual([302, '/elsewhere'])
  })

  test('is refused where the policy does not allow it', async () => {
    const strict = { ...limits, policy: { allowLocal: false } }
    await expect(sendOutbound({ ...strict, url: at('/') })).rejects.toThrow(BlockedAddress)
    const named = { ...strict, url: at('/', 'fennec.invalid'), lookup: async () => ['10.0.0.1'] }
    await expect(sendOutbound(named)).rejects.toThrow('Requests to the local network are not allowed')
    await expect(sendOutbound({ ...limits, url: new URL('file:///etc/passwd') })).rejects.toThrow('not an HTTP address')
  })

  test('verifies the certificate by default', async () => {
    const secure = createSecureServer(selfSigned, (_request, response) => void response.end('secret'))
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    const url = new URL(`https://fennec.invalid:${(secure.address() as AddressInfo).port}/`)
    const wanted = { ...limits, url, lookup: async () => ['127.0.0.1'] }
    await expect(sendOutbound(wanted)).rejects.toThrow(/certificate/)
    expect((await sendOutbound({ ...wanted, verifiesCertificate: false })).body.toString()).toBe('secret')
    secure.closeAllConnections()
    await new Promise((resolve) => secure.close(resolve))
  })

  test('returns the beginning of a long answer when it may be cut', async () => {
    const cut = await sendOutbound({ ...limits, url: at('/'), maximumBytes: 9, cutsAnswer: true })
    expect([cut.status, cut.body.toString()]).toEqual([200, 'x'.repeat(9)])
  })

  /** What comes of a request that a server answers with these bytes and nothing else. */
  async function answeredWith(begin: (socket: Socket) => void, more: object = {}) {
    const raw = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => begin(socket))
    })
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
    const url = new URL(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/`)
    const answer = await sendOutbound({ ...limits, cutsAnswer: true, url, ...more }).catch((error: Error) => error)
    raw.close()
    return answer instanceof Error ? answer.message : [answer.status, answer.body.toString()]
  }

  test('is over when the receiver changes the protocol', async () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'
    expect(await answeredWith((socket) => socket.write(head))).toEqual([101, ''])
    expect(await answeredWith((socket) => socket.write(`${head}and more`))).toEqual([101, ''])
  })

  test('is not held by headers without end, whether they come fast or slowly, nor by interim answers or trailers', async () => {
    const timeoutMs = 300
    const endless = (begin: string, piece: string) => (socket: Socket) => {
      socket.write(begin)
      const timer = setInterval(() => socket.write(piece), 5)
      socket.on('close', () => clearInterval(timer))
    }
    const ok = 'HTTP/1.1 200 OK\r\n'
    expect(await answeredWith(endless(ok, `X: ${'y'.repeat(10_000)}\r\n`))).toMatch('Header overflow')
    const held = [
      endless(ok, 'X: y\r\n'),
      endless('', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'),
      endless(`${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'T: y\r\n'),
    ]
    const outcomes = await Promise.all(held.map((begin) => answeredWith(begin, { timeoutMs })))
    for (const outcome of outcomes) expect(outcome).toMatch(/aborted|timeout/i)
  })

  test('fails once when an answer is malformed and the connection is lost afterwards', async () => {
    const begin = (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxGARBAGE GARBAGE\r\n\r\n')
      setImmediate(() => socket.resetAndDestroy())
    }
    // Whether the answer or the error comes first, it is the end, and no error is left for the process.
    expect(String(await answeredWith(begin))).toMatch(/Parse Error|ECONNRESET|^200/)
  })

  test('is not held by a name that is never resolved', async () => {
    const never = sendOutbound({
      ...limits,
      ...{ url: at('/', 'never.example'), timeoutMs: 50, lookup: () => new Promise<string[]>(() => {}) },
    })
    await expect(never).rejects.toThrow(/abort|timeout/i)
  })

  test('fails when the answer is too long or too late', async () => {
    await expect(sendOutbound({ ...limits, maximumBytes: 99, url: at('/') })).rejects.toThrow('more than 99 bytes')
    await expect(sendOutbound({ ...limits, timeoutMs: 50, url: at('/silent') })).rejects.toThrow(/abort|timeout/i)
  })
})
