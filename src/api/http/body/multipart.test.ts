import { existsSync, readdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { t } from '../../operation/parameters/params.ts'
import { type DemoServer, demoServer, echo, exchange } from '../../testing.ts'
import { readMultipart, removeAbandonedFiles } from './multipart.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fennec-multipart-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const boundary = 'X-BOUNDARY'
const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
type Part = { name: string; filename?: string; type?: string; value: string }

function multipart(parts: Part[]): string {
  const written = parts.map(({ name, filename, type, value }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const header = `Content-Disposition: form-data; name="${name}"${file}\r\n${type ? `Content-Type: ${type}\r\n` : ''}`
    return `--${boundary}\r\n${header}\r\n${value}\r\n`
  })
  return `${written.join('')}--${boundary}--\r\n`
}

const upload = echo({
  method: 'POST',
  params: { file: t.file(), title: t.string(), list: t.array(t.string()) },
  run: async ({ params: { file, ...rest } }) =>
    file ? { ...rest, ...file, content: await readFile((file as { path: string }).path, 'utf8') } : { ...rest, file },
})

function demo(): DemoServer {
  return demoServer([upload], {
    bodyLimits: { bodyBytes: 1_000, multipart: { fileBytes: 1_000, fieldBytes: 500, folder } },
  })
}

/** Over a real socket: what happens to it when a body is given up is part of the matter. */
async function post(body: string, type = headers['content-type'], announced = Buffer.byteLength(body)) {
  await using server = demo()
  const head =
    `POST /api/v4/things HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n` +
    `Content-Length: ${announced}\r\nConnection: close\r\n\r\n`
  const { status, body: answer } = await exchange(await server.listen(), head + body)
  // What was put on disk goes after the answer.
  await expect.poll(() => readdirSync(folder)).toEqual([])
  return [status, answer === '' ? undefined : JSON.parse(Buffer.from(answer, 'latin1').toString())]
}

async function send(parts: Part[]): Promise<[number, Record<string, unknown>]> {
  return (await post(multipart(parts))) as [number, Record<string, unknown>]
}

describe('a multipart body', () => {
  test('holds fields, nested as in any form, and files', async () => {
    const [status, body] = await send([
      { name: 'title', value: 'é🦊 +%20' },
      { name: 'list[]', value: 'a' },
      { name: 'list[]', value: 'b' },
      { name: 'file', filename: 'ü.txt', type: 'text/plain', value: 'content' },
    ])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      title: 'é🦊 +%20',
      list: ['a', 'b'],
      filename: 'ü.txt',
      contentType: 'text/plain',
      sizeBytes: 7,
      content: 'content',
    })
  })

  test('a file may have exactly its limit', async () => {
    const [status, body] = await send([{ name: 'file', filename: 'a', value: 'x'.repeat(1_000) }])
    expect([status, body.sizeBytes]).toEqual([200, 1_000])
  })

  test('keeps files outside their own names, and only as long as the request', async () => {
    const [, body] = await send([{ name: 'file', filename: '../../../etc/passwd', value: 'content' }])
    expect(String(body.path).startsWith(`${folder}/`)).toBe(true)
    expect(String(body.filename)).not.toContain('/')
    expect(existsSync(String(body.path))).toBe(false)
  })

  test('an empty file field removes', async () => {
    expect(await send([{ name: 'file', filename: '', type: 'application/octet-stream', value: '' }])).toEqual([
      200,
      { file: '' },
    ])
    expect(await send([{ name: 'file', value: '' }])).toEqual([200, { file: '' }])
  })

  test('a file where text is wanted is invalid, and text where a file is', async () => {
    const invalid = (name: string) => [400, { message: { [name]: ['is invalid'] }, error: `${name} is invalid` }]
    expect(await send([{ name: 'title', filename: 'a', value: 'x' }])).toEqual(invalid('title'))
    expect(await send([{ name: 'file', value: 'x' }])).toEqual(invalid('file'))
    expect(await send([{ name: 'title', value: '\u0000' }])).toEqual(invalid('title'))
  })

  test('a file cannot be claimed in JSON', async () => {
    await using server = demo()
    const file = { uploaded: true, filename: 'a', contentType: 'a/b', sizeBytes: 1, path: '/etc/passwd' }
    const answer = await server.send('POST', '/api/v4/things', { file })
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { message: { file: ['is invalid'] }, error: 'file is invalid' },
    ])
  })
})

describe('hostile multipart bodies', () => {
  const malformed = 'message body does not match declared format'

  test.each<[string, string, string?]>([
    ['without boundary', multipart([]), 'multipart/form-data'],
    ['of another boundary', multipart([{ name: 'a', value: 'b' }]), 'multipart/form-data; boundary=Y'],
    ['cut off', multipart([{ name: 'a', filename: 'b', value: 'c' }]).slice(0, -20)],
    ['that is none', 'garbage'],
  ])('%s', async (_name, body, type) => {
    const [status, answer] = await post(body, type)
    expect([status, answer.error]).toEqual([400, malformed])
  })

  test.each<[string, Part[]]>([
    ['a file one byte above its limit', [{ name: 'file', filename: 'a', value: 'x'.repeat(1_001) }]],
    ['a field above its limit', [{ name: 'title', value: 'x'.repeat(501) }]],
    ['too many files', Array.from({ length: 21 }, () => ({ name: 'a[]', filename: 'a', value: 'x' }))],
  ])('413: %s', async (_name, parts) => {
    expect(await send(parts)).toEqual([413, { message: '413 Request Entity Too Large' }])
  })

  test.each<[string, Part[]]>([
    [
      'fields that contradict each other',
      [
        { name: 'a', value: '1' },
        { name: 'a[b]', value: '2' },
      ],
    ],
    [
      'a file that contradicts a field',
      [
        { name: 'a', value: '1' },
        { name: 'a[b]', filename: 'f', value: '2' },
      ],
    ],
    ['a name too deep', [{ name: `a${'[b]'.repeat(40)}`, value: '1' }]],
    ['too many pairs', Array.from({ length: 4_097 }, () => ({ name: 'a', value: '' }))],
  ])('400 and not the end of the process: %s', async (_name, parts) => {
    expect(await send(parts)).toEqual([400, { message: '400 Bad request - invalid parameters' }])
  })

  test('many fields or files are no way around the limit of one', async () => {
    const large = { status: 413, answer: { message: '413 Request Entity Too Large' } }
    const fields = Array.from({ length: 6 }, (_, index) => ({ name: `f${index}`, value: 'x'.repeat(100) }))
    const [status, answer] = await post(multipart(fields))
    expect({ status, answer }).toEqual(large)
    expect((await send(fields.slice(0, 5)))[0]).toBe(200)
    // What stands before the first part counts as well.
    const body = `${'x'.repeat(1_100_000)}\r\n${multipart([{ name: 'file', filename: 'a', value: 'x' }])}`
    expect((await post(body))[0]).toBe(413)
  })

  test('names of the language are plain data', async () => {
    const [status] = await send([
      { name: '__proto__[polluted]', value: '1' },
      { name: 'constructor', filename: 'a', value: '1' },
    ])
    expect([status, ({} as Record<string, unknown>).polluted]).toEqual([200, undefined])
  })

  test('a file above its limit is refused while others are still received, without an unhandled rejection', async () => {
    const message = Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage
    const stray = vi.fn()
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', stray)
    try {
      const outcome = readMultipart(message, { fileBytes: 10, fieldBytes: 10, folder }).catch((error) => error)
      const body = multipart([
        { name: 'first', filename: 'a', value: 'x'.repeat(1_000) },
        { name: 'second', filename: 'b', value: 'y' },
      ])
      message.write(body.slice(0, -boundary.length))
      const files = () => readdirSync(folder, { recursive: true }).map(String)
      await vi.waitFor(
        () => expect(stray.mock.calls.length > 0 || files().some((name) => name.endsWith('/1'))).toBe(true),
        { timeout: 60_000 },
      )
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      message.end(body.slice(-boundary.length))
      expect(await outcome).toMatchObject({ status: 413 })
      expect(stray).not.toHaveBeenCalled()
    } finally {
      process.removeAllListeners('unhandledRejection')
      for (const listener of others) process.on('unhandledRejection', listener)
    }
  })

  test('the files of a request that is served are no leftovers, however far the clock leaps ahead', async () => {
    const message = Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage
    const body = multipart([{ name: 'file', filename: 'a', value: 'content' }])
    const outcome = readMultipart(message, { fileBytes: 100, fieldBytes: 10, folder })
    message.write(body.slice(0, -boundary.length))
    await expect.poll(() => readdirSync(folder)).toHaveLength(1)
    await removeAbandonedFiles(folder, manualClock({ start: '2200-01-01' }))
    expect(readdirSync(folder)).toHaveLength(1)
    message.end(body.slice(-boundary.length))
    await (await outcome).dispose()
    expect(readdirSync(folder)).toEqual([])
  })

  test.skipIf(!existsSync('/dev/full'))('a full disk ends the request with 507', async () => {
    const message = Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage
    const outcome = readMultipart(message, { fileBytes: 1e6, fieldBytes: 10, folder }).catch((error) => error)
    await expect.poll(() => readdirSync(folder)).toHaveLength(1)
    symlinkSync('/dev/full', join(folder, String(readdirSync(folder)[0]), '0'))
    // The end of the body never comes.
    message.write(multipart([{ name: 'file', filename: 'a', value: 'x'.repeat(300_000) }]).slice(0, -40))
    let error: unknown
    void outcome.then((failure) => {
      error = failure
    })
    await vi.waitFor(
      () => {
        message.write('x'.repeat(10_000))
        expect(error).toBeDefined()
      },
      { timeout: 60_000 },
    )
    expect(error).toMatchObject({ status: 507, body: { message: '507 Insufficient Storage' } })
    expect(readdirSync(folder)).toEqual([])
  })

  test('of several files of one name the last counts, however long each takes', async () => {
    const parts = [100_000, 50_000, 1].map((size, index) => ({
      name: 'file',
      filename: `${index}`,
      value: 'x'.repeat(size),
    }))
    await using server = demoServer([upload], {
      bodyLimits: { bodyBytes: 1_000, multipart: { fileBytes: 100_000, fieldBytes: 500, folder } },
    })
    const body = Buffer.from(multipart(parts))
    const answer = await fetch(`http://127.0.0.1:${await server.listen()}/api/v4/things`, {
      method: 'POST',
      headers,
      body,
    })
    expect(await answer.json()).toMatchObject({ filename: '2', sizeBytes: 1 })
  })

  test.each([
    ['..', '..'],
    ['.', '.'],
    ['a/..', '..'],
    ['C:\\\\x\\\\y.png', 'y.png'],
    ['a/', ''],
  ])('the name %j is received as %j', async (filename, received) => {
    const [, body] = await send([{ name: 'file', filename, value: 'content' }])
    expect(body.filename).toBe(received)
  })

  test('the answer reaches who is still sending', async () => {
    const tooLarge = [413, { message: '413 Request Entity Too Large' }]
    const file = multipart([{ name: 'file', filename: 'a', value: 'x'.repeat(500_000) }])
    expect(await post(file)).toEqual(tooLarge)
    const field = multipart([{ name: 'title', value: 'x'.repeat(500_000) }])
    expect(await post(field, headers['content-type'], 1_000_000)).toEqual(tooLarge)
  })
})
