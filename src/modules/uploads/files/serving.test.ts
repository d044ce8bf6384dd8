import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { raw } from '../../../api/index.ts'
import { uploadedFile } from '../../../api/operation/parameters/uploaded-file.ts'
import { demoServer, echo } from '../../../api/testing.ts'
import { ObjectError, storageKey } from '../../../infra/objects/index.ts'
import { openFixtureStore } from '../../../infra/objects/s3/testing.ts'
import { openTestStore } from '../../../infra/objects/testing.ts'
import type { Platform } from '../../../platform/index.ts'
import { fileAnswers, serveFile } from './serving.ts'
import { putFile } from './storing.ts'

const digits = '0123456789'
let place: Awaited<ReturnType<typeof openTestStore>>
let folder: string
beforeAll(async () => {
  place = await openTestStore()
  folder = await mkdtemp(join(tmpdir(), 'fennec-storing-'))
})
afterAll(async () => {
  await place[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const platform = (objects = place.store, uploadsRedirect = false) =>
  ({ objects, config: { uploadsRedirect } }) as unknown as Platform

async function received(content: string | Buffer) {
  const path = join(folder, randomBytes(8).toString('hex'))
  await writeFile(path, content)
  return uploadedFile({ filename: 'x', contentType: 'text/html', sizeBytes: content.length, path })
}

/** Asks a server whose only operation serves a file. */
async function ask(name: string, { headers = {}, method = 'GET', form = 'web', content = digits, isLost = false }) {
  const key = storageKey('test', randomBytes(8).toString('hex'))
  const stored = await putFile(platform(), key, await received(content))
  if (isLost) await place.store.delete(key)
  const file = { name, key, ...stored }
  await using demo = demoServer([
    echo({
      path: '/things',
      answers: fileAnswers,
      result: [200, raw],
      run: ({ request, setStatus }) => serveFile(platform(), { request, setStatus }, file, form as 'api' | 'web'),
    }),
  ])
  const port = await demo.listen()
  const answer = await fetch(`http://127.0.0.1:${port}/api/v4/things`, { method, headers })
  const etag = `"${stored.sha256}"`
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text(), etag }
}

describe('a file', () => {
  test('is shown in place only on the web, and only when it is harmless', async () => {
    const web = await ask('dk.png', {})
    expect([web.status, web.body]).toEqual([200, digits])
    expect(web.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `inline; filename="dk.png"; filename*=UTF-8''dk.png`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=0, must-revalidate',
      etag: web.etag,
    })
    const api = await ask('dk.png', { form: 'api' })
    expect(api.headers['content-disposition']).toBe(`attachment; filename="dk.png"; filename*=UTF-8''dk.png`)
    for (const name of ['x.svg', 'x.html', 'x.xml', 'x']) {
      const { headers } = await ask(name, { content: '<svg onload=alert(1)>' })
      expect([headers['content-type'], headers['content-disposition']]).toEqual([
        'application/octet-stream',
        expect.stringMatching(/^attachment;/),
      ])
    }
    const pdf = await ask('résumé.pdf', {})
    expect(pdf.headers['content-disposition']).toBe(
      `inline; filename="r_sum_.pdf"; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf`,
    )
    expect(pdf.headers['content-security-policy']).toBeUndefined()
  })

  test.each([
    ['bytes=2-3', 206, '23', 'bytes 2-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=7-100', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '{"message":"416 Range Not Satisfiable"}', 'bytes */10'],
    ['bytes=0-1,3-4', 200, digits, undefined],
  ])('is sent in part: %s', async (Range, status, body, range) => {
    const answer = await ask('x.bin', { headers: { Range } })
    expect([answer.status, answer.body, answer.headers['content-range']]).toEqual([status, body, range])
    expect(answer.headers['content-length']).toBe(String(body.length))
  })

  test('is not sent to callers who have it, or who ask for its head', async () => {
    const { etag } = await ask('x.png', {})
    const current = await ask('x.png', { headers: { 'If-None-Match': etag, Range: 'bytes=0-1' } })
    expect([current.status, current.body, current.headers.etag]).toEqual([304, '', etag])
    const head = await ask('x.png', { method: 'HEAD', headers: { Range: 'bytes=0-1' } })
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '10'])
    const other = await ask('x.png', { headers: { 'If-Range': '"other"', Range: 'bytes=0-1' } })
    expect([other.status, other.body]).toEqual([200, digits])
  })

  test('may be empty', async () => {
    const { status, headers, body } = await ask('x.png', { content: '' })
    expect([status, headers['content-length'], body]).toEqual([200, '0', ''])
    expect((await ask('x.png', { content: '', headers: { Range: 'bytes=0-' } })).status).toBe(416)
  })

  test('without bytes is not found', async () => {
    const { status, body, headers } = await ask('x.png', { isLost: true })
    expect([status, body, headers['content-disposition']]).toEqual([404, '{"message":"404 Not Found"}', undefined])
  })
})

describe('a store with addresses', () => {
  test('sends readers to them, when the setting says so', async () => {
    await using bucket = await openFixtureStore()
    const key = storageKey('test', 'redirected')
    const stored = await putFile(platform(bucket.store), key, await received(digits))
    const file = { name: 'x.html', key, ...stored }
    const answered = async (redirects: boolean, method = 'GET', store = bucket.store) => {
      await using demo = demoServer([
        echo({
          path: '/things',
          answers: fileAnswers,
          result: [200, raw],
          run: ({ request, setStatus }) => serveFile(platform(store, redirects), { request, setStatus }, file, 'web'),
        }),
      ])
      const url = `http://127.0.0.1:${await demo.listen()}/api/v4/things`
      const answer = await fetch(url, { method, redirect: 'manual' })
      await answer.arrayBuffer()
      return answer
    }
    expect((await answered(false)).status).toBe(200)
    expect((await answered(true, 'HEAD')).status).toBe(200)
    // Files have no addresses.
    expect((await answered(true, 'GET', place.store)).status).toBe(404)
    const redirected = await answered(true)
    expect([redirected.status, redirected.headers.get('cache-control')]).toEqual([302, 'no-store'])
    const location = new URL(redirected.headers.get('location') ?? '')
    expect(location.searchParams.get('X-Amz-Expires')).toBe('600')
    expect(location.searchParams.get('response-content-type')).toBe('application/octet-stream')
    expect(location.searchParams.get('response-content-disposition')).toBe(
      `attachment; filename="x.html"; filename*=UTF-8''x.html`,
    )
  })
})

describe('storing', () => {
  test('fails as the object store does', async () => {
    for (const code of ['storage_full', 'unavailable'] as const) {
      const objects = { put: async () => Promise.reject(new ObjectError(code, 'no')) }
      const storing = putFile({ objects } as unknown as Platform, storageKey('x'), await received('x'))
      await expect(storing).rejects.toMatchObject({ code })
    }
  })

  test('returns what was stored', async () => {
    const key = storageKey('test', 'one')
    const { sizeBytes, sha256 } = await putFile(platform(), key, await received('hello'))
    expect([sizeBytes, sha256]).toEqual([5, '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'])
    const opened = await place.store.get(key)
    expect(await new Response(Readable.toWeb(opened?.stream as Readable) as never).text()).toBe('hello')
  })
})
