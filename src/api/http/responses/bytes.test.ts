import { get } from 'node:http'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { GitError } from '../../../infra/git/index.ts'
import { notFound } from '../../operation/errors.ts'
import { pageOf, raw, streamedJson } from '../../operation/results.ts'
import { Type } from '../../operation/schema.ts'
import { demoServer, echo } from '../../testing.ts'
import { contentDisposition } from './content-disposition.ts'

/** An operation whose bytes are opened when they are sent; tells how often they were. */
function lazy(headers: Record<string, string> = {}) {
  const opened: Readable[] = []
  const body = async () => {
    const stream = Readable.from([Buffer.from('ab'), Buffer.from('c')])
    opened.push(stream)
    return stream
  }
  const all = { 'Content-Type': 'text/plain', 'Content-Length': '3', ETag: 'W/"tag"', ...headers }
  return { opened, operation: echo({ result: [200, raw], run: async () => ({ headers: all, body }) }) }
}

describe('bytes that are opened when they are sent', () => {
  test('are not opened for who has them, nor for a HEAD', async () => {
    const { opened, operation } = lazy()
    await using demo = demoServer([operation])
    const known = await demo.get('/api/v4/things', { 'If-None-Match': 'W/"tag"' })
    expect([known.statusCode, known.body, known.headers.etag]).toEqual([304, '', 'W/"tag"'])
    expect([known.headers['content-type'], known.headers['content-length']]).toEqual([undefined, undefined])
    const head = await demo.send('HEAD', '/api/v4/things')
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '3'])
    expect(opened).toHaveLength(0)
    const answer = await demo.get('/api/v4/things', { 'If-None-Match': 'W/"other"' })
    expect([answer.statusCode, answer.body, opened.length]).toEqual([200, 'abc', 1])
  })

  test('that cannot be opened are an error like any other', async () => {
    const failing = (error: Error) =>
      echo({
        result: [200, raw],
        run: async () => ({
          headers: { 'Content-Length': '9', ETag: 'W/"tag"', 'Content-Disposition': 'attachment' },
          body: () => Promise.reject(error),
        }),
      })
    for (const [error, status] of [
      [notFound('File'), 404],
      [new GitError('busy', 'too many'), 503],
      [new Error('secret'), 500],
    ] as const) {
      await using demo = demoServer([failing(error)])
      const answer = await demo.get('/api/v4/things')
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'application/json'])
      expect(answer.headers['content-length']).toBe(String(answer.body.length))
      expect([answer.headers.etag, answer.headers['content-disposition']]).toEqual([undefined, undefined])
      expect(answer.body).not.toContain('secret')
    }
  })

  test('that are open already are closed when they are not sent', async () => {
    const stream = Readable.from([Buffer.from('abc')])
    const closed = new Promise((resolve) => stream.once('close', resolve))
    await using demo = demoServer([echo({ result: [200, raw], run: async () => ({ headers: {}, body: stream }) })])
    expect((await demo.send('HEAD', '/api/v4/things')).body).toBe('')
    await closed
  })
})

test('an operation can write JSON itself', async () => {
  const pieces = () => Readable.from(['[{"id":1}', ',{"id":2}]'])
  const result = [200, pageOf(Type.Object({ id: Type.Integer() }))] as const
  const run = async () => streamedJson({ headers: {}, body: async () => pieces() })
  await using demo = demoServer([echo({ result, run })])
  const answer = await demo.get('/api/v4/things')
  expect([answer.json(), answer.headers['content-type'], answer.headers['x-page']]).toEqual([
    [{ id: 1 }, { id: 2 }],
    'application/json',
    undefined,
  ])
})

test('headers that are no ASCII go out byte by byte, whatever follows them', async () => {
  const bytes = Buffer.from('ü 🐋').toString('latin1')
  const run = async ({ setHeader }: { setHeader(name: string, value: string): void }) => {
    setHeader('X-Gitlab-File-Name', bytes)
    return { a: 'ü' }
  }
  await using demo = demoServer([echo({ run })])
  const port = await demo.listen()
  const received = await new Promise<string | undefined>((resolve, reject) => {
    get(`http://127.0.0.1:${port}/api/v4/things`, (answer) => {
      answer.resume()
      resolve(answer.headers['x-gitlab-file-name'] as string | undefined)
    }).once('error', reject)
  })
  expect(received).toBe(bytes)
})

test('the signal of a request is not aborted by the end of its body', async () => {
  const run = async ({ request }: { request: { signal: AbortSignal } }) => {
    const before = request.signal.aborted
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    return { before, after: request.signal.aborted }
  }
  await using demo = demoServer([echo({ method: 'POST', run })])
  const port = await demo.listen()
  const answer = await fetch(`http://127.0.0.1:${port}/api/v4/things`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  })
  expect(await answer.json()).toEqual({ before: false, after: false })
})

describe('the name of a file in a header', () => {
  test.each([
    ['README.md', 'inline; filename="README.md"'],
    ['a b;c.txt', 'inline; filename="a b;c.txt"'],
    ['a"b\\c', `inline; filename="a_b_c"; filename*=UTF-8''a%22b%5Cc`],
    ['a\r\nSet-Cookie: x', `inline; filename="a__Set-Cookie: x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`],
    ['ü🐋', `inline; filename="__"; filename*=UTF-8''%C3%BC%F0%9F%90%8B`],
    ["it's (1)*.txt", `inline; filename="it's (1)*.txt"`],
    ["ü's (1)*", `inline; filename="_'s (1)*"; filename*=UTF-8''%C3%BC%27s%20%281%29%2A`],
    ['100%41', `inline; filename="100_41"; filename*=UTF-8''100%2541`],
    ['\ud800', `inline; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ])('stays a name: %j', (name, expected) => {
    expect(contentDisposition('inline', name)).toBe(expected)
  })

  test('is not longer than clients take', () => {
    expect(contentDisposition('attachment', '🐋'.repeat(5_000)).length).toBeLessThan(4_000)
  })
})
