import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { demoServer, echo } from '../../testing.ts'
import type { Operation } from '../operation.ts'
import { pageOf } from '../results.ts'
import { Type } from '../schema.ts'
import { cursorFor, type Page, pageHeaders, pageOfList, pageRequest } from './pagination.ts'

const base = 'https://git.example'
const numbers = Array.from({ length: 25 }, (_, index) => index)

function list(overrides: Partial<Operation> = {}): Operation {
  return echo({
    path: '/projects/:id/things',
    result: [200, pageOf(Type.Integer())],
    run: async ({ page }) => pageOfList(numbers, page),
    ...overrides,
  })
}

/** The headers for a page of a list with this many objects. */
function headersOf(url: string, page: Partial<Page<unknown>>, perPage = 20, number = 1): Record<string, string> {
  const request = pageRequest({ page: number, per_page: perPage }, {})
  return pageHeaders({ items: [], ...page }, request, base, url)
}

function links(header: string): Record<string, string> {
  const parts = header.split(', ').map((part) => /^<(.*)>; rel="(\w+)"$/.exec(part))
  return Object.fromEntries(parts.map((part) => [part?.[2], part?.[1]]))
}

test('a page in the middle has its number and links', async () => {
  await using demo = demoServer([list()])
  const url = '/api/v4/projects/g%2Fp/things?search=a+b%2Fc&per_page=10&page=2'
  const answer = await demo.get(url)
  expect(answer.json()).toEqual(numbers.slice(10, 20))
  expect(answer.headers).toMatchObject({
    'x-page': '2',
    'x-per-page': '10',
    'x-prev-page': '1',
    'x-next-page': '3',
    'x-total': '25',
    'x-total-pages': '3',
  })
  const to = (page: number) => `${base}/api/v4/projects/g%2Fp/things?search=a+b%2Fc&page=${page}&per_page=10`
  expect(answer.headers.link).toBe(
    `<${to(1)}>; rel="prev", <${to(3)}>; rel="next", <${to(1)}>; rel="first", <${to(3)}>; rel="last"`,
  )
})

test('the links lead through the whole list', async () => {
  await using demo = demoServer([list()])
  const seen: number[] = []
  let url: string | undefined = '/api/v4/projects/1/things?per_page=7'
  while (url) {
    const answer = await demo.get(url)
    seen.push(...(answer.json() as number[]))
    url = links(String(answer.headers.link)).next?.slice(base.length)
  }
  expect(seen).toEqual(numbers)
})

describe('the edges', () => {
  test('one page has no neighbours', () => {
    const headers = headersOf('/x', { total: 20 })
    expect(Object.keys(links(headers.Link ?? ''))).toEqual(['first', 'last'])
    expect(headers).toMatchObject({ 'X-Prev-Page': '', 'X-Next-Page': '', 'X-Total-Pages': '1' })
  })

  test('an empty list has one page', () => {
    expect(headersOf('/x', { total: 0 })).toMatchObject({ 'X-Total': '0', 'X-Total-Pages': '1', 'X-Next-Page': '' })
  })

  test('past the end there is only the way back', async () => {
    await using demo = demoServer([list()])
    const answer = await demo.get('/api/v4/projects/1/things?page=99')
    expect([answer.statusCode, answer.body]).toEqual([200, '[]'])
    expect(answer.headers).toMatchObject({ 'x-page': '99', 'x-prev-page': '98', 'x-next-page': '', 'x-total': '25' })
    expect(Object.keys(links(String(answer.headers.link)))).toEqual(['prev', 'first', 'last'])
  })

  test('above 10,000 there is no total', () => {
    const headers = headersOf('/x', { total: undefined, hasNext: true }, 20, 3)
    expect(headers).not.toHaveProperty('X-Total')
    expect(headers).not.toHaveProperty('X-Total-Pages')
    expect(headers).toMatchObject({ 'X-Prev-Page': '2', 'X-Next-Page': '4' })
    expect(Object.keys(links(headers.Link ?? ''))).toEqual(['prev', 'next', 'first'])
    expect(headersOf('/x', { total: 10_000 })).toMatchObject({ 'X-Total': '10000', 'X-Total-Pages': '500' })
  })

  test('HEAD has the headers of GET', async () => {
    await using demo = demoServer([list()])
    const get = await demo.get('/api/v4/projects/1/things')
    const head = await demo.send('HEAD', '/api/v4/projects/1/things')
    const kept = (headers: object) =>
      Object.entries(headers).filter(([name]) => !['x-request-id', 'x-runtime', 'x-gitlab-meta', 'date'].includes(name))
    expect(head.body).toBe('')
    expect(kept(head.headers)).toEqual(kept(get.headers))
  })
})

describe('a link', () => {
  test.each([
    'private_token=secret',
    'access_token=secret',
    'job_token=secret',
    'a=1&private_token=secret&b=2',
    'private%5Ftoken=secret',
    '%70rivate_token=secret',
    'private_token=secret&private_token=secret',
    'a=?&private_token=secret',
  ])('never carries a credential: %s', (query) => {
    expect(headersOf(`/x?${query}`, { total: 50 }).Link).not.toContain('secret')
  })

  test('keeps the other parameters as they were written, also behind a second question mark', () => {
    const { next } = links(headersOf('/x?a=what?&b%5B%5D=%F0%9F%A6%8A&c', { total: 50 }).Link ?? '')
    expect(next).toBe(`${base}/x?a=what?&b%5B%5D=%F0%9F%A6%8A&c&page=2&per_page=20`)
  })

  test('keep the way on alone where a long query would make them more than clients take', () => {
    const long = `/x?a=${'b'.repeat(5_000)}`
    expect(Object.keys(links(headersOf(long, { total: 50 }).Link ?? ''))).toEqual(['next'])
    const last = headersOf(long, { total: 20 })
    expect([last.Link, last['X-Next-Page'], last['X-Total']]).toEqual([undefined, '', '20'])
  })

  test('escape the query', () => {
    const headers = headersOf('/x?a=>;rel="next",<https://evil.example>', { total: 50 })
    expect(headers.Link?.match(/[<>]/g)).toHaveLength(2 * Object.keys(links(headers.Link ?? '')).length)
    expect(headers.Link?.match(/<[^>]*>; rel="next"/g)).toEqual([
      expect.stringMatching(/^<https:\/\/git\.example\/x\?/),
    ])
  })

  test('of a keyset walk is the only header, and none on the last page', async () => {
    const cursor = cursorFor([5])
    const spec = list({
      list: { keyset: { id: ['desc'] } },
      run: async ({ page }) => ({
        items: [],
        next: page.kind === 'keyset' && page.after ? undefined : { cursor },
      }),
    })
    await using demo = demoServer([spec])
    const url = '/api/v4/projects/g%2Fp/things?pagination=keyset&order_by=id&per_page=500&private_token=user'
    const { headers } = await demo.get(url)
    const { next } = links(String(headers.link))
    expect(next).toBe(
      `${base}/api/v4/projects/g%2Fp/things?order_by=id&cursor=${cursor}&per_page=100&pagination=keyset`,
    )
    expect(Object.keys(headers).filter((name) => /^x-(page|per-page|total|next|prev)/.test(name))).toEqual([])
    expect((await demo.get(String(next).slice(base.length))).headers).not.toHaveProperty('link')
  })

  test('of any page of any list leads to pages that are there', () => {
    fc.assert(
      fc.property(
        fc.nat(2_000),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 50 }),
        (total, per, page) => {
          const headers = headersOf('/x', { total }, per, page)
          const pages = Math.max(1, Math.ceil(total / per))
          const found = links(headers.Link ?? '')
          const number = (rel: string) => Number(new URL(found[rel] ?? '').searchParams.get('page'))
          expect('next' in found).toBe(page < pages)
          if ('next' in found) expect(number('next')).toBe(page + 1)
          if ('prev' in found) expect(number('prev')).toBe(page - 1)
          expect([number('first'), number('last')]).toEqual([1, pages])
        },
      ),
    )
  })
})

test('pagination parameters are ignored where the result is not a list', async () => {
  await using demo = demoServer([echo()])
  for (const query of ['page=x', 'per_page=x', 'pagination=keyset']) {
    expect([query, (await demo.get(`/api/v4/things?${query}`)).statusCode]).toEqual([query, 200])
  }
})
