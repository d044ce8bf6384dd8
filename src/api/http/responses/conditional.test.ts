import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { requireUnmodified } from '../../operation/operation.ts'
import { nothing, nullable, raw } from '../../operation/results.ts'
import { Type } from '../../operation/schema.ts'
import { demoServer, echo, requestInfo, thrown } from '../../testing.ts'

describe('an answer to a read', () => {
  test('has a weak tag over its body, and is not sent again to who has it', async () => {
    await using demo = demoServer([echo({ run: async () => ({ a: 1 }) })])
    const answer = await demo.get('/api/v4/things')
    const etag = String(answer.headers.etag)
    expect(etag).toMatch(/^W\/"[\w+/=-]+"$/)
    expect(answer.headers['cache-control']).toBe('max-age=0, private, must-revalidate')
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, `W/"x",${etag},"y"`]) {
      const again = await demo.get('/api/v4/things', { 'If-None-Match': known })
      expect([known, again.statusCode, again.body, again.headers.etag]).toEqual([known, 304, '', etag])
      expect(again.headers['content-type']).toBeUndefined()
      expect(again.headers['x-request-id']).toHaveLength(26)
    }
    const head = await demo.send('HEAD', '/api/v4/things', undefined, { 'If-None-Match': etag })
    expect(head.statusCode).toBe(304)
  })

  test('differs when its body differs', async () => {
    let count = 0
    await using demo = demoServer([
      echo({
        run: async () => {
          count += 1
          return { count }
        },
      }),
    ])
    const { etag } = (await demo.get('/api/v4/things')).headers
    const again = await demo.get('/api/v4/things', { 'If-None-Match': String(etag) })
    expect([again.statusCode, again.body]).toEqual([200, '{"count":2}'])
    expect(again.headers.etag).not.toBe(etag)
  })

  test.each(['', '""', 'W/', ',,,', 'garbage', '\u00e9', 'a'.repeat(8_000)])(
    'is sent for a tag that is none: %s',
    async (tag) => {
      await using demo = demoServer([echo()])
      expect((await demo.get('/api/v4/things', { 'If-None-Match': tag })).statusCode).toBe(200)
    },
  )

  test('has no tag when it is no 200, or no read', async () => {
    await using demo = demoServer([
      echo({ answers: { 202: 'Accepted' }, run: async ({ setStatus }) => setStatus(202) }),
      echo({ id: 'post', method: 'POST' }),
    ])
    for (const answer of [
      await demo.get('/api/v4/things'),
      await demo.send('POST', '/api/v4/things'),
      await demo.get('/api/v4/nothing'),
    ]) {
      expect(answer.headers.etag).toBeUndefined()
      expect(answer.headers['cache-control']).toBe('no-cache')
    }
  })

  test('has the headers of the operation, also when it is not sent again', async () => {
    await using demo = demoServer([
      echo({
        deprecated: true,
        run: async ({ setHeader }) => {
          setHeader('X-Gitlab-Size', '5')
          return {}
        },
      }),
    ])
    const { etag } = (await demo.get('/api/v4/things')).headers
    const again = await demo.get('/api/v4/things', { 'If-None-Match': String(etag) })
    expect(again.headers).toMatchObject({ 'x-gitlab-size': '5', deprecation: 'true' })
  })
})

describe('the form of an answer', () => {
  test('has only the members of the schema', async () => {
    const Thing = Type.Object({ id: Type.Integer(), name: nullable(Type.String()), note: Type.Optional(Type.String()) })
    const thing = { secret: 'x', name: null, id: 5, token_digest: 'y' }
    await using demo = demoServer([echo({ method: 'POST', result: [201, Thing], run: async () => thing })])
    const answer = await demo.send('POST', '/api/v4/things')
    expect([answer.statusCode, answer.body]).toEqual([201, '{"id":5,"name":null}'])
  })

  test('is empty for operations without a body', async () => {
    await using demo = demoServer([echo({ method: 'DELETE', result: [204, nothing], run: async () => undefined })])
    const answer = await demo.send('DELETE', '/api/v4/things')
    expect([answer.statusCode, answer.body, answer.headers['content-type']]).toEqual([204, '', undefined])
  })

  test('is bytes where the operation says so, with the caching of every other answer', async () => {
    const body = () => Readable.from([Buffer.from('ab'), Buffer.from('c')])
    const bytes = echo({
      result: [200, raw],
      run: async () => ({ headers: { 'Content-Type': 'application/octet-stream' }, body: body() }),
    })
    await using demo = demoServer([bytes])
    const answer = await demo.get('/api/v4/things')
    expect([answer.statusCode, answer.body, answer.headers['content-type']]).toEqual([
      200,
      'abc',
      'application/octet-stream',
    ])
    expect(answer.headers['cache-control']).toBe('max-age=0, private, must-revalidate')
    const head = await demo.send('HEAD', '/api/v4/things')
    expect([head.statusCode, head.body]).toEqual([200, ''])
  })

  test('says that it is deprecated', async () => {
    await using demo = demoServer([echo({ deprecated: true }), echo({ id: 'new', path: '/new' })])
    expect((await demo.get('/api/v4/things')).headers.deprecation).toBe('true')
    expect((await demo.get('/api/v4/new')).headers.deprecation).toBeUndefined()
  })
})

describe('a deletion under a condition', () => {
  const updatedAt = '2026-01-02T03:04:05.678Z'
  const attempt = (date: string | undefined) => () =>
    requireUnmodified(requestInfo({ headers: { 'if-unmodified-since': date } }), updatedAt)

  test('fails when the resource has changed since', () => {
    for (const date of ['Fri, 02 Jan 2026 03:04:04 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT', '2025-01-02T03:04:05Z']) {
      expect(thrown(attempt(date))).toEqual({ status: 412, body: { message: '412 Precondition Failed' } })
    }
  })

  test('goes on when it has not, by the second, or when there is no readable date', () => {
    const dates = [
      'Fri, 02 Jan 2026 03:04:05 GMT',
      'Sat, 03 Jan 2026 00:00:00 GMT',
      undefined,
      '',
      'yesterday',
      '\u00e9',
    ]
    for (const date of dates) expect(attempt(date)).not.toThrow()
  })
})

test('the tag is of the body, not of the request', async () => {
  await using demo = demoServer([echo({ run: async () => ({ a: 1 }) })])
  const [first, second] = await Promise.all([demo.get('/api/v4/things?a=1'), demo.get('/api/v4/things?a=2')])
  expect(first.headers.etag).toBe(second.headers.etag)
  expect(String(first.headers.etag)).toContain(createHash('sha1').update(first.body).digest('base64url'))
})
