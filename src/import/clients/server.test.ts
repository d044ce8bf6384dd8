import { describe, expect, test } from 'vitest'
import { clientFor, collected, startFake, token } from '../testing.ts'
import { NotBrought, Refused, Unreachable } from './errors.ts'

const queryOf = (url = '') => new URL(url, 'http://x').searchParams

describe('a list is read to its end', () => {
  test('by the header Link, also with an address that only the server knows', async () => {
    await using fake = await startFake(({ url }) => {
      const page = Number(queryOf(url).get('page') ?? 1)
      const link = `<http://inside.invalid:1/api/v4/things?page=${page + 1}&per_page=100>; rel="next", <http://x/>; rel="first"`
      return { body: [{ id: page }], headers: page < 3 ? { Link: link } : {} }
    })
    expect(await collected(clientFor(fake.url).server.list('/things'))).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(fake.credentials).toEqual([token, token, token])
  })

  test('by X-Next-Page, and with the cursor of a keyset', async () => {
    await using paged = await startFake(({ url }) => {
      const page = Number(queryOf(url).get('page') ?? 1)
      return { body: [{ id: page }], headers: { 'X-Next-Page': page < 3 ? String(page + 1) : '' } }
    })
    expect(await collected(clientFor(paged.url).server.list('/things?a=b'))).toHaveLength(3)
    expect(paged.received[2]).toBe('GET /api/v4/things?a=b&per_page=100&page=3')
    await using keyset = await startFake(({ url }) => {
      const after = Number(queryOf(url).get('id_after') ?? 0)
      const link = `<http://x/api/v4/things?pagination=keyset&id_after=${after + 1}>; rel="next"`
      return { body: after < 2 ? [{ id: after }] : [], headers: { Link: link } }
    })
    expect(await collected(clientFor(keyset.url).server.list('/things?pagination=keyset'))).toHaveLength(2)
  })

  test.each([
    [
      'a page that leads to itself',
      { body: [{ id: 1 }], headers: { Link: '</api/v4/things?page=1>; rel="next"' } },
      /no end/,
    ],
    ['an object', { body: { id: 1 } }, /not a list/],
    ['a page of HTML', { body: '<html>' }, /not JSON/],
    ['entries that are not objects', { body: [null, 1, 'x', [], { id: 1 }] }, /4 entries/],
    ['deep nesting', { body: '['.repeat(200_000) }, /not JSON/],
    ['a refusal', { status: 403, body: { message: '403 Forbidden' } }, /may not read this at the source \(403\)/],
    ['an unknown address', { status: 404, body: {} }, /does not have this/],
  ])('%s is said', async (_name, answer, message) => {
    await using fake = await startFake(() => answer)
    const { server } = clientFor(fake.url)
    const read = collected(server.list('/things'))
    await expect(read).rejects.toThrow(message)
    await expect(read).rejects.toBeInstanceOf(NotBrought)
  })

  test('good entries of a damaged page come before the error', async () => {
    await using fake = await startFake(() => ({ body: [1, { id: 1 }] }))
    const list = clientFor(fake.url).server.list('/things')
    expect((await list.next()).value).toEqual({ id: 1 })
    await expect(list.next()).rejects.toThrow('1 entries')
  })
})

describe('an answer', () => {
  test('without end is not read to its end', async () => {
    await using fake = await startFake((_request, response) => {
      response.on('error', () => {})
      response.writeHead(200)
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      const more = () => void (!response.destroyed && response.write(chunk, more))
      more()
      return null
    })
    await expect(clientFor(fake.url).server.get('/thing')).rejects.toThrow(/more than 33554432 bytes/)
  })

  test('that breaks off is said', async () => {
    await using fake = await startFake((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('{', () => response.destroy())
      return null
    })
    await expect(clientFor(fake.url).server.get('/thing')).rejects.toThrow(/breaks off/)
  })

  test('of 404 is no object where there may be none', async () => {
    await using fake = await startFake(() => ({ status: 404, body: { message: '404 Not found' } }))
    expect(await clientFor(fake.url).server.find('/thing')).toBeNull()
  })
})

describe('the token', () => {
  test('is not sent to a host that the server redirects to', async () => {
    await using other = await startFake(() => ({ body: { stolen: true } }))
    await using fake = await startFake(() => ({ status: 302, headers: { Location: `${other.url}/api/v4/thing` } }))
    await expect(clientFor(fake.url).server.get('/thing')).rejects.toThrow(
      `leads to ${other.url}, where the token is not sent`,
    )
    expect(other.received).toEqual([])
  })

  test('follows redirects of the server itself, which may not go on for ever', async () => {
    await using fake = await startFake(({ url }) =>
      url === '/api/v4/new'
        ? { body: { id: 1 } }
        : { status: 301, headers: { Location: url === '/api/v4/old' ? '/api/v4/new' : url } },
    )
    const { server } = clientFor(fake.url)
    expect(await server.get('/old')).toEqual({ id: 1 })
    await expect(server.get('/round')).rejects.toThrow('redirects to no answer')
  })

  test('is recognised in headers, as it is and in Base64', () => {
    const { server } = clientFor('http://127.0.0.1:1')
    expect([server.basic, `Bearer ${token}`, token].map((value) => server.isRevealing(value))).toEqual([
      true,
      true,
      true,
    ])
    expect(server.isRevealing('Basic eDp5')).toBe(false)
  })
})

describe('a server that is busy', () => {
  test('is asked again after the time that it names, also for writes', async () => {
    let asked = 0
    await using fake = await startFake(() => {
      asked += 1
      const limited = [{ 'Retry-After': '7' }, { 'Retry-After': 'Thu, 01 Jan 2026 00:00:09 GMT' }, {}][asked - 1]
      return limited
        ? { status: 429, headers: limited as Record<string, string>, body: {} }
        : { status: 201, body: { id: 1 } }
    })
    const { server, waits, notes } = clientFor(fake.url, 'target')
    expect(await server.write('POST', '/things', {})).toEqual({ id: 1 })
    expect(waits).toEqual([7000, 9000, 10_000])
    expect(notes).toEqual(['This server limits the rate of requests; waiting 7 s (/api/v4/things)'])
  })

  test('and that stays so refuses at last', async () => {
    await using fake = await startFake(() => ({ status: 429, headers: { 'Retry-After': '999999999' }, body: {} }))
    const { server, waits } = clientFor(fake.url)
    await expect(server.get('/thing')).rejects.toBeInstanceOf(Refused)
    expect(new Set(waits)).toEqual(new Set([600_000]))
  })

  test('is read again when it does not answer, and not written to again', async () => {
    await using fake = await startFake((_request, response) => {
      response.destroy()
      return null
    })
    const { server, waits } = clientFor(fake.url)
    await expect(server.get('/thing')).rejects.toBeInstanceOf(Unreachable)
    expect([fake.received.length, waits]).toEqual([5, [1000, 2000, 4000, 8000]])
    await expect(server.write('POST', '/things', {})).rejects.toBeInstanceOf(Unreachable)
    expect(fake.received.length).toBe(6)
  })

  test('answers 503 for a while', async () => {
    let asked = 0
    await using fake = await startFake(() => (++asked < 3 ? { status: 503, body: {} } : { body: { id: 1 } }))
    expect(await clientFor(fake.url).server.get('/thing')).toEqual({ id: 1 })
  })
})
