import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { t } from '../../operation/parameters/params.ts'
import { demoServer, echo, exchange } from '../../testing.ts'
import type { BodyLimits } from './body.ts'

const params = { title: t.string(), list: t.array(t.string()), nested: t.object({ a: t.string() }) }
const post = echo({ method: 'POST', params })
const limits: BodyLimits = {
  bodyBytes: 1_000,
  multipart: { fileBytes: 1_000, fieldBytes: 1_000, folder: '/nonexistent' },
}
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const malformed =
  '{"error":"message body does not match declared format",' +
  '"message":"400 Bad request - message body does not match declared format"}'
const tooLarge = '{"message":"413 Request Entity Too Large"}'

describe('a body', () => {
  test.each<[string, Record<string, string>, string]>([
    ['{"title":"a","list":["b"],"nested":{"a":"c"}}', json, '{"title":"a","list":["b"],"nested":{"a":"c"}}'],
    ['{"title":"a"}', { 'content-type': 'application/json; charset=utf-8' }, '{"title":"a"}'],
    ['{"title":"a"}', { 'content-type': 'Application/JSON' }, '{"title":"a"}'],
    ['title=a+b%2B&list[]=b&nested[a]=c', form, '{"title":"a b+","list":["b"],"nested":{"a":"c"}}'],
    ['  ', json, '{}'],
    ['{"other":1}', json, '{}'],
  ])('%s', async (body, headers, expected) => {
    await using demo = demoServer([post])
    const answer = await demo.send('POST', '/api/v4/things', body, headers)
    expect([answer.statusCode, answer.body]).toEqual([200, expected])
  })

  test('that is a list is the parameter that the operation names for it', async () => {
    const listed = echo({ id: 'listed', path: '/listed', method: 'POST', params, listBody: 'list' })
    await using demo = demoServer([post, listed])
    const send = (path: string, body: string, headers = json) => demo.send('POST', `/api/v4${path}`, body, headers)
    expect((await send('/listed', '["a","b"]')).body).toBe('{"list":["a","b"]}')
    expect((await send('/listed', '{"list":["a"],"title":"b"}')).body).toBe('{"title":"b","list":["a"]}')
    expect((await send('/listed', 'list[]=a', form)).body).toBe('{"list":["a"]}')
    const refused = await send('/things', '["a"]')
    expect([refused.statusCode, refused.body]).toEqual([400, malformed])
    expect((await send('/listed', '5')).body).toBe(malformed)
  })

  test('is weaker than the path and stronger than the query', async () => {
    await using demo = demoServer([
      echo({ method: 'PUT', path: '/things/:a', params: { a: t.string(), b: t.string(), c: t.string() } }),
    ])
    const answer = await demo.send('PUT', '/api/v4/things/path?a=query&b=query&c=query', { a: 'body', b: 'body' })
    expect(answer.json()).toEqual({ a: 'path', b: 'body', c: 'query' })
  })

  test('is read of GET and DELETE as well', async () => {
    await using demo = demoServer([echo({ params }), echo({ id: 'delete', method: 'DELETE', params })])
    expect((await demo.send('GET', '/api/v4/things', { title: 'a' })).body).toBe('{"title":"a"}')
    expect((await demo.send('DELETE', '/api/v4/things', 'title=a', form)).body).toBe('{"title":"a"}')
  })

  test('can be absent, with any content type', async () => {
    await using demo = demoServer([post])
    for (const headers of [{}, json, { 'content-type': 'text/plain' }]) {
      expect((await demo.send('POST', '/api/v4/things', undefined, headers)).statusCode).toBe(200)
    }
  })

  test('can be empty and chunked', async () => {
    await using demo = demoServer([post])
    const head = 'POST /api/v4/things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n'
    expect((await exchange(await demo.listen(), `${head}\r\n0\r\n\r\n`)).status).toBe(200)
  })

  test.each([
    '[1',
    '{"a":',
    'text',
    '"text"',
    '[]',
    '[{}]',
    '5',
    '{"a":1}{',
    "{'a':1}",
    '\ufeff{"a":1}',
    '{"a":\u0000}',
  ])('of JSON is an object: %s', async (body) => {
    await using demo = demoServer([post])
    const answer = await demo.send('POST', '/api/v4/things', body, json)
    expect([answer.statusCode, answer.body]).toEqual([400, malformed])
  })

  test('of JSON may be null, for no object', async () => {
    await using demo = demoServer([post])
    const [none, empty] = [
      await demo.send('POST', '/api/v4/things', ' null', json),
      await demo.send('POST', '/api/v4/things', '{}', json),
    ]
    expect([none.statusCode, none.body]).toEqual([empty.statusCode, empty.body])
    expect(none.statusCode).toBe(200)
  })

  test.each(['text/plain', 'application/xml', 'application/merge-patch+json', 'garbage', 'application/', '/', ';'])(
    'of another type is refused: %s',
    async (type) => {
      await using demo = demoServer([post])
      const answer = await demo.send('POST', '/api/v4/things', 'body', { 'content-type': type })
      expect([answer.statusCode, answer.json()]).toEqual([
        415,
        {
          error: `The provided content-type '${type}' is not supported.`,
          message: '415 Unsupported Media Type',
        },
      ])
    },
  )

  test('of no type is refused', async () => {
    await using demo = demoServer([post])
    const answer = await demo.send('POST', '/api/v4/things', Buffer.from('body'))
    expect(answer.statusCode).toBe(415)
  })
})

describe('hostile bodies', () => {
  test('names of the language are plain data', async () => {
    await using demo = demoServer([echo({ method: 'POST', run: async ({ request }) => Object.keys(request.raw) })])
    for (const [body, headers] of [
      ['{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}', json],
      ['__proto__[polluted]=1&constructor[prototype][polluted]=1', form],
    ] as const) {
      const answer = await demo.send('POST', '/api/v4/things', body, headers)
      expect(answer.json()).toEqual(['__proto__', 'constructor'])
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('bytes that are not UTF-8 are refused, not replaced', async () => {
    await using demo = demoServer([post])
    const bytes = [
      [Buffer.from([...Buffer.from('{"title":"'), 0xff, ...Buffer.from('"}')]), json],
      [Buffer.from([...Buffer.from('{"title":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]), json],
      [Buffer.from([...Buffer.from('title='), 0xff]), form],
    ] as const
    const statuses = []
    for (const [body, headers] of bytes)
      statuses.push((await demo.send('POST', '/api/v4/things', body, headers)).statusCode)
    expect(statuses).toEqual([400, 400, 400])
  })

  test('JSON is bounded in depth and width, whatever stands in its texts', async () => {
    await using demo = demoServer([post])
    const send = async (other: string) => {
      const { statusCode, body } = await demo.send('POST', '/api/v4/things', `{"title":"a","other":${other}}`, json)
      return [statusCode, body]
    }
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    const wide = (values: number) => `[${'1,'.repeat(values - 1)}1]`
    const refused = [400, '{"message":"400 Bad request - invalid parameters"}']
    for (const other of [nested(100), nested(200_000), '{"a":'.repeat(100), wide(100_000)]) {
      expect(await send(other)).toEqual(refused)
    }
    const text = JSON.stringify('[{,"\\'.repeat(50_000))
    for (const other of [nested(99), wide(99_000), text]) expect(await send(other)).toEqual([200, '{"title":"a"}'])
  })

  test('a form is bounded in depth and pairs', async () => {
    await using demo = demoServer([post])
    for (const body of [`a${'[b]'.repeat(40)}=1`, 'a=1&'.repeat(5_000), 'a=1&a[b]=2']) {
      const answer = await demo.send('POST', '/api/v4/things', body, form)
      expect([answer.statusCode, answer.body]).toEqual([400, '{"message":"400 Bad request - invalid parameters"}'])
    }
  })
})

describe('size', () => {
  test('up to the limit is read, above it is refused', async () => {
    await using demo = demoServer([post], { bodyLimits: limits })
    const body = (bytes: number) => `{"title":"${'a'.repeat(bytes - 12)}"}`
    expect((await demo.send('POST', '/api/v4/things', body(1_000), json)).statusCode).toBe(200)
    const answer = await demo.send('POST', '/api/v4/things', body(1_001), json)
    expect([answer.statusCode, answer.body]).toEqual([413, tooLarge])
    expect((await demo.send('POST', '/api/v4/things', `title=${'a'.repeat(995)}`, form)).statusCode).toBe(413)
  })

  test('two million bytes are no trouble within a limit of ten', async () => {
    await using demo = demoServer([post])
    const answer = await demo.send('POST', '/api/v4/things', { title: 'a'.repeat(2_000_000) })
    expect(answer.statusCode).toBe(200)
  })

  test('a body that is announced too large is refused before it is sent', async () => {
    await using demo = demoServer([post], { bodyLimits: limits })
    const head = 'POST /api/v4/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
    const answer = await exchange(await demo.listen(), `${head}Content-Length: 100000000000\r\n\r\n{`)
    expect([answer.status, answer.body, answer.headers.connection]).toEqual([413, tooLarge, 'close'])
  })

  test('a body that exceeds the limit while it is received is answered', async () => {
    await using demo = demoServer([post], { bodyLimits: limits })
    const port = await demo.listen()
    const status = await new Promise<number | string>((resolve) => {
      const headers = { ...json, 'Transfer-Encoding': 'chunked' }
      const sent = httpRequest({ port, method: 'POST', path: '/api/v4/things', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      sent.on('error', ({ message }) => resolve(message))
      // Never ended: the answer must come without waiting for the rest.
      sent.write(`{"title":"${'a'.repeat(2_000)}`)
    })
    expect(status).toBe(413)
  })

  test('the request line ends at 16 KiB', async () => {
    await using demo = demoServer([echo()])
    const line = (bytes: number) => `/api/v4/things?a=${'a'.repeat(bytes - 'GET /api/v4/things?a= HTTP/1.1'.length)}`
    expect((await demo.get(line(16_384))).statusCode).toBe(200)
    const answer = await demo.get(line(16_385))
    expect([answer.statusCode, answer.body]).toEqual([414, '{"message":"414 Request-URI Too Large"}'])
  })

  test('a request line beyond all bounds gets the same answer', async () => {
    await using demo = demoServer([echo()])
    const port = await demo.listen()
    const request = `GET /api/v4/things?a=${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const answer = await exchange(port, request)
    expect([answer.status, answer.body]).toEqual([414, '{"message":"414 Request-URI Too Large"}'])
  })
})
