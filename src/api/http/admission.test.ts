/** Who may not send a body is refused before it is stored (contract 00, "Order of checks"). */
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import { forbidden, notFound } from '../operation/errors.ts'
import type { Operation } from '../operation/operation.ts'
import { t } from '../operation/parameters/params.ts'
import { instance, type Subject } from '../operation/subject.ts'
import { type DemoServer, demoServer, echo } from '../testing.ts'

let folder: string
let clock: ManualClock
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fennec-admission-'))
  clock = manualClock({ start: '2026-01-02' })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const boundary = 'X-BOUNDARY'
const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const fileHead = (name = 'file') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n`
const end = `\r\n--${boundary}--\r\n`

const thing: Subject<string, 'write'> = {
  name: 'thing',
  opensToAnonymous: () => false,
  administratorsOnly: () => false,
  async find(_platform: unknown, request) {
    if (request.path.id === 'absent') throw notFound('Thing')
    return request.path.id ?? ''
  },
  authorize(_actor, found) {
    if (found === 'forbidden') throw forbidden()
  },
}

/** The instance, for senders of a token that the operation reads itself. */
const byToken: typeof instance = {
  ...instance,
  identifiesCaller: true,
  async find(_platform, { raw }) {
    if (raw.token !== 'good') throw forbidden()
    return undefined
  },
}

const params = { file: t.file(), title: t.string() }
const answerOf: Operation['run'] = async ({ params: { file, title } }) => ({
  title,
  content: file ? await readFile((file as { path: string }).path, 'utf8') : null,
})

const operations: Operation[] = [
  echo({
    id: 'upload',
    method: 'POST',
    path: '/things/:id',
    subject: thing,
    allow: 'write',
    scopes: ['api'],
    params,
    run: answerOf,
  }),
  echo({ id: 'open', method: 'POST', path: '/open', params, scopes: ['api'], run: answerOf }),
  echo({ id: 'text', method: 'POST', path: '/text', params: { title: t.string() }, scopes: ['api'] }),
  echo({
    id: 'own',
    method: 'POST',
    path: '/own',
    subject: byToken,
    ownAuthentication: true,
    params: { ...params, token: t.string() },
    run: answerOf,
  }),
]

function demo(): DemoServer {
  const multipart = { fileBytes: 200_000_000, fieldBytes: 1_000, folder }
  return demoServer(operations, { bodyLimits: { bodyBytes: 200_000_000, clock, multipart } })
}

const stored = () => readdirSync(folder, { recursive: true }).length

type Head = { path: string; headers?: string; announced?: number }

/** Sends a request without its end. */
async function begin(server: number, { path, headers = '', announced = 100_000_000 }: Head, body: string) {
  const socket = connect(server, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    `POST /api/v4${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${announced}\r\n` +
      `Content-Type: multipart/form-data; boundary=${boundary}\r\n${headers}\r\n${body}`,
  )
  return socket
}

async function statusOf(socket: Socket): Promise<number> {
  const [data] = await once(socket, 'data')
  return Number(String(data).split(' ')[1])
}

describe('a multipart body that has only begun', () => {
  test.each<[string, Head, string, number]>([
    ['of a wrong token', { path: '/things/1', headers: 'PRIVATE-TOKEN: nope\r\n' }, '', 401],
    ['of a wrong token in the query', { path: '/things/1?private_token=nope' }, '', 401],
    ['of a token without the scope', { path: '/things/1', headers: 'PRIVATE-TOKEN: reader\r\n' }, '', 403],
    ['for what does not exist', { path: '/things/absent', headers: 'PRIVATE-TOKEN: user\r\n' }, '', 404],
    ['of a role that may not', { path: '/things/forbidden', headers: 'PRIVATE-TOKEN: user\r\n' }, '', 403],
    ['of nobody', { path: '/things/1' }, `${field('title', 'a')}${fileHead()}abc`, 401],
    ['of a wrong token in a field', { path: '/things/1' }, `${field('private_token', 'nope')}${fileHead()}abc`, 401],
    ['of a role by a field', { path: '/things/forbidden' }, `${field('private_token', 'user')}${fileHead()}abc`, 403],
    ['of a token that is no parameter', { path: '/own' }, `${field('token', 'bad')}${fileHead()}abc`, 403],
    ['above the limit', { path: '/things/1', announced: 300_000_000 }, '', 413],
    ['of a wrong token on an open operation', { path: '/open', headers: 'PRIVATE-TOKEN: nope\r\n' }, '', 401],
  ])('%s', async (_name, head, body, status) => {
    await using server = demo()
    const socket = await begin(await server.listen(), head, body)
    expect(await statusOf(socket)).toBe(status)
    socket.destroy()
    await expect.poll(() => stored()).toBe(0)
  })

  test.each<[string, Head, string]>([
    ['by a header', { path: '/things/1', headers: 'PRIVATE-TOKEN: user\r\n' }, ''],
    ['by a field before the file', { path: '/things/1' }, field('private_token', 'user')],
    ['by the subject of the operation', { path: '/own' }, field('token', 'good')],
  ])('is stored when its sender is admitted %s', async (_name, head, fields) => {
    await using server = demo()
    const body = `${fields}${fileHead()}abc${end}`
    const socket = await begin(
      await server.listen(),
      { ...head, announced: Buffer.byteLength(body) },
      body.slice(0, -5),
    )
    await expect.poll(() => stored()).toBe(2)
    socket.write(body.slice(-5))
    expect(await statusOf(socket)).toBe(200)
    socket.destroy()
  })

  test('a token after the file comes too late', async () => {
    await using server = demo()
    const body = `${fileHead()}abc\r\n${field('private_token', 'user')}--${boundary}--\r\n`
    const socket = await begin(await server.listen(), { path: '/things/1', announced: Buffer.byteLength(body) }, body)
    expect(await statusOf(socket)).toBe(401)
    socket.destroy()
  })

  test('a file that the operation does not take is not stored', async () => {
    await using server = demo()
    const socket = await begin(await server.listen(), { path: '/text' }, `${fileHead('other')}${'x'.repeat(300_000)}`)
    await expect.poll(() => readdirSync(folder)).toHaveLength(1)
    const [name = ''] = readdirSync(folder)
    socket.destroy()
    await expect.poll(() => existsSync(join(folder, name))).toBe(false)
    const body = `${fileHead('other')}abc\r\n${field('title', 'a')}--${boundary}--\r\n`
    const complete = await begin(
      Number((server.server.server.address() as { port: number }).port),
      { path: '/text', announced: body.length },
      body,
    )
    expect(await statusOf(complete)).toBe(200)
    complete.destroy()
  })

  test('is ended when no data comes', async () => {
    await using server = demo()
    const socket = await begin(await server.listen(), { path: '/open' }, `${fileHead()}abc`)
    await expect.poll(() => stored()).toBe(2)
    clock.advance(120_000)
    await once(socket, 'close')
    await expect.poll(() => stored()).toBe(0)
  })
})

describe('bodies of unknown senders', () => {
  test('are limited in number for an address, those of known ones are not', async () => {
    await using server = demo()
    const port = await server.listen()
    const open = await Promise.all(Array.from({ length: 8 }, () => begin(port, { path: '/open' }, `${fileHead()}abc`)))
    await expect.poll(() => stored()).toBe(16)
    const refused = await begin(port, { path: '/open' }, `${fileHead()}abc`)
    expect(await statusOf(refused)).toBe(429)
    const known = await begin(port, { path: '/open', headers: 'PRIVATE-TOKEN: user\r\n' }, `${fileHead()}abc`)
    await expect.poll(() => stored()).toBe(18)
    for (const socket of [...open, refused, known]) socket.destroy()
    await expect.poll(() => stored()).toBe(0)
    const body = `${fileHead()}abc${end}`
    const again = await begin(port, { path: '/open', announced: body.length }, body)
    expect(await statusOf(again)).toBe(200)
    again.destroy()
  })

  test('are limited in bytes for an address', async () => {
    await using server = demo()
    const socket = await begin(await server.listen(), { path: '/open', announced: 190_000_000 }, fileHead())
    const chunk = 'x'.repeat(1_000_000)
    const answer = statusOf(socket)
    for (let sent = 0; sent < 140; sent += 1)
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), answer])
    expect(await answer).toBe(429)
    socket.destroy()
    await expect.poll(() => stored()).toBe(0)
  })

  test('are limited when they are large JSON as well, and may have their token in it', async () => {
    await using server = demo()
    const port = await server.listen()
    const json = (body: string) =>
      fetch(`http://127.0.0.1:${port}/api/v4/things/1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    const large = (token: string) => JSON.stringify({ private_token: token, title: 'x'.repeat(100_000) })
    expect((await json(large('user'))).status).toBe(200)
    const open = await Promise.all(Array.from({ length: 8 }, () => begin(port, { path: '/open' }, `${fileHead()}abc`)))
    await expect.poll(() => stored()).toBe(16)
    expect((await json(large('user'))).status).toBe(429)
    for (const socket of open) socket.destroy()
  })
})

test('a large body that is malformed is refused by its credentials first, a small one by its syntax', async () => {
  await using server = demo()
  const headers = { 'content-type': 'application/json', 'private-token': 'nope' }
  const status = async (body: string) => (await server.send('POST', '/api/v4/things/1', body, headers)).statusCode
  expect(await status(`[${'1'.repeat(100_000)}`)).toBe(401)
  expect(await status('[1')).toBe(400)
})
