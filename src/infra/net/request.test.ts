import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { selfSigned } from './fixtures.ts'
import { BlockedAddress, sendOutbound } from './index.ts'

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

  test('fails when the answer is too long or too late', async () => {
    await expect(sendOutbound({ ...limits, maximumBytes: 99, url: at('/') })).rejects.toThrow('more than 99 bytes')
    await expect(sendOutbound({ ...limits, timeoutMs: 50, url: at('/silent') })).rejects.toThrow(/abort|timeout/i)
  })
})
