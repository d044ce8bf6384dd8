import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { thrown } from '../../testing.ts'
import { parseNestedParameters } from '../parameters/nested-parameters.ts'
import { cursorFor, type ListOptions, pageOfList, pageRequest } from './pagination.ts'

function asked(query: string, options: ListOptions = {}) {
  return pageRequest(parseNestedParameters(query), options)
}

function refusal(query: string, options: ListOptions = {}) {
  return thrown(() => asked(query, options))
}

describe('a page by its number', () => {
  test.each([
    ['', 1, 20],
    ['page=2&per_page=10', 2, 10],
    ['page=0', 1, 20],
    ['page=-5&per_page=-5', 1, 20],
    ['per_page=0', 1, 20],
    ['per_page=100', 1, 100],
    ['per_page=101', 1, 100],
    ['per_page=1000', 1, 100],
    ['page=&per_page=', 1, 20],
    ['page=007', 7, 20],
    ['pagination=offset', 1, 20],
    ['pagination=', 1, 20],
  ])('%s', (query, page, perPage) => {
    const offset = (page - 1) * perPage
    expect(asked(query)).toEqual({ kind: 'offset', page, perPage, offset, limit: perPage })
  })

  test.each(['x', '1.5', '1e3', '0x1', '9223372036854775808', '%00', '%ff', '1;2', '-'])(
    'is no text such as %s',
    (text) => {
      for (const name of ['page', 'per_page']) {
        expect(refusal(`${name}=${text}`)).toEqual({
          status: 400,
          body: { message: { [name]: ['is invalid'] }, error: `${name} is invalid` },
        })
      }
    },
  )

  test('is neither a list nor a hash', () => {
    expect(refusal('page[]=1')).toMatchObject({ status: 400, body: { error: 'page is invalid' } })
    expect(refusal('per_page[a]=1')).toMatchObject({ status: 400, body: { error: 'per_page is invalid' } })
  })

  test('both invalid numbers are reported', () => {
    expect(refusal('per_page=x&page=y')).toEqual({
      status: 400,
      body: {
        message: { page: ['is invalid'], per_page: ['is invalid'] },
        error: 'page is invalid, per_page is invalid',
      },
    })
  })

  test('has an offset that databases hold, however large its number', () => {
    const request = asked('page=9223372036854775807&per_page=100')
    expect(request.kind === 'offset' && Number.isSafeInteger(request.offset)).toBe(true)
  })

  test('ends at an offset of 50,000 where the list says so', () => {
    const options = { offsetLimitOf: 'Project' }
    expect(asked('page=501&per_page=100', options)).toMatchObject({ offset: 50_000 })
    expect(asked('page=502&per_page=100')).toMatchObject({ offset: 50_100 })
    expect(refusal('page=502&per_page=100', options)).toEqual({
      status: 405,
      body: {
        error:
          'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type Project. ' +
          'Remaining records can be retrieved using keyset pagination.',
        message: '405 Method Not Allowed',
      },
    })
  })
})

describe('a page by key', () => {
  const options: ListOptions = {
    keyset: { id: ['asc', 'desc'], name: ['asc'] },
    keysetDefault: { orderBy: 'id', sort: 'desc' },
  }
  const unavailable = {
    status: 405,
    body: {
      error: 'Keyset pagination is not yet available for this type of request',
      message: '405 Method Not Allowed',
    },
  }
  const badCursor = { status: 400, body: { message: '400 Bad request - invalid cursor' } }

  test('begins at the beginning, in the default order or another', () => {
    expect(asked('pagination=keyset', options)).toEqual({
      kind: 'keyset',
      perPage: 20,
      limit: 20,
      orderBy: 'id',
      sort: 'desc',
      after: undefined,
    })
    expect(asked('pagination=keyset&order_by=name&sort=asc&per_page=500', options)).toMatchObject({
      orderBy: 'name',
      sort: 'asc',
      perPage: 100,
    })
  })

  test('is 405 where the list, the order or the direction does not support it', () => {
    expect(refusal('pagination=keyset')).toEqual(unavailable)
    expect(refusal('pagination=keyset&order_by=created_at', options)).toEqual(unavailable)
    expect(refusal('pagination=keyset&order_by=name&sort=desc', options)).toEqual(unavailable)
    expect(refusal('pagination=keyset&order_by=constructor', options)).toEqual(unavailable)
  })

  test('goes on after the values of a cursor, or after an id', () => {
    const cursor = cursorFor(['é🦊', 5])
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(asked(`pagination=keyset&cursor=${cursor}`, options)).toMatchObject({ after: ['é🦊', 5] })
    expect(asked('pagination=keyset&id_after=42', options)).toMatchObject({ after: [42] })
    expect(asked('pagination=keyset&id_before=42', options)).toMatchObject({ after: [42] })
    expect(asked(`pagination=keyset&id_after=42&cursor=${cursor}`, options)).toMatchObject({ after: ['é🦊', 5] })
    expect(asked('pagination=keyset&cursor=', options)).toMatchObject({ after: undefined })
  })

  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  test.each([
    'garbage',
    '%00',
    encoded('{"id":1}'),
    encoded('"text"'),
    encoded('[null]'),
    encoded('[[1]]'),
    encoded('[{"id":1}]'),
    encoded('[true]'),
    encoded('[1'),
    encoded('[]'),
    encoded('[1e999]'),
    encoded(`${'['.repeat(50_000)}`),
  ])('refuses a cursor that it did not give out: %s', (cursor) => {
    expect(refusal(`pagination=keyset&cursor=${cursor}`, options)).toEqual(badCursor)
  })

  test('refuses cursors that are no text, and ids that are no numbers', () => {
    expect(refusal('pagination=keyset&cursor[a]=b', options)).toEqual(badCursor)
    expect(refusal('pagination=keyset&cursor[]=b', options)).toEqual(badCursor)
    expect(refusal('pagination=keyset&id_after=x', options)).toMatchObject({ status: 400 })
    expect(refusal('pagination=keyset&id_after[]=1', options)).toMatchObject({ status: 400 })
  })

  test('goes on after a name where the list is one of names', () => {
    expect(asked('pagination=keyset&page_token=feature%2Fa', { pageToken: true })).toMatchObject({
      kind: 'keyset',
      orderBy: 'page_token',
      after: ['feature/a'],
    })
    expect(asked('pagination=keyset&page_token=', { pageToken: true })).toMatchObject({ after: undefined })
  })

  test('goes on after the last name in either direction where the list is ordered by name', () => {
    const byName = (query: string) => asked(`pagination=keyset&${query}`, { lastName: true })
    expect(byName('last=v1')).toMatchObject({ kind: 'keyset', after: ['v1'], orderBy: 'name', sort: 'asc' })
    expect(byName('last=&sort=sideways&order_by=name')).toMatchObject({ after: undefined, sort: 'asc' })
    expect(byName('sort=desc&order_by=')).toMatchObject({ sort: 'desc' })
    expect(asked('order_by=size', { lastName: true })).toMatchObject({ kind: 'offset' })
    expect(() => byName('order_by=size')).toThrow(
      expect.objectContaining({
        status: 400,
        body: {
          message: { order_by: ['does not have a valid value'] },
          error: 'order_by does not have a valid value',
        },
      }),
    )
  })

  test('any cursor is read back as it was given out', () => {
    const values = fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(values, (after) => {
        expect(asked(`pagination=keyset&cursor=${cursorFor(after)}`, options)).toMatchObject({ after })
      }),
    )
  })
})

describe('a list in memory', () => {
  test('its pages have each item once', () => {
    const lists = fc.array(fc.integer(), { maxLength: 250 })
    fc.assert(
      fc.property(lists, fc.integer({ min: -3, max: 150 }), (list, perPage) => {
        const walked: number[] = []
        for (let page = 1; ; page += 1) {
          const part = pageOfList(list, asked(`page=${page}&per_page=${perPage}`))
          expect(part.total).toBe(list.length)
          walked.push(...part.items)
          if (!part.hasNext) break
          expect(part.items).toHaveLength(perPage < 1 ? 20 : Math.min(perPage, 100))
        }
        expect(walked).toEqual(list)
      }),
    )
  })

  test('a page past the end is empty', () => {
    expect(pageOfList([1, 2, 3], asked('page=99'))).toEqual({ items: [], total: 3, hasNext: false })
  })

  test('is not counted above 10,000', () => {
    const long = (count: number) => pageOfList(Array.from({ length: count }).fill(0), asked('page=100&per_page=100'))
    expect(long(10_000)).toMatchObject({ total: 10_000, hasNext: false })
    expect(long(10_001)).toMatchObject({ total: undefined, hasNext: true })
  })
})
