import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { thrown } from '../../testing.ts'
import { addParameter, emptyParameters, parseNestedParameters, type RawParameters } from './nested-parameters.ts'

const refused = { status: 400, body: { message: '400 Bad request - invalid parameters' } }

/** Without the missing prototypes, so that it can be compared. */
function read(text: string): unknown {
  return JSON.parse(JSON.stringify(parseNestedParameters(text)))
}

describe('nested names', () => {
  test.each<[string, unknown]>([
    ['', {}],
    ['&&', {}],
    ['a=1', { a: '1' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['=1', {}],
    ['a=b=c', { a: 'b=c' }],
    ['a=1&a=2', { a: '2' }],
    ['a[b]=c', { a: { b: 'c' } }],
    ['a[b][c]=1&a[b][d]=2', { a: { b: { c: '1', d: '2' } } }],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a[]=', { a: [''] }],
    ['a[b][]=1&a[b][]=2', { a: { b: ['1', '2'] } }],
    ['a[][name]=x&a[][value]=y', { a: [{ name: 'x', value: 'y' }] }],
    [
      'a[][name]=x&a[][value]=y&a[][name]=z',
      { a: [{ name: 'x', value: 'y' }, { name: 'z' }] }, // a new element starts when a key repeats
    ],
    ['a[][b][c]=1&a[][b][d]=2&a[][b][c]=3', { a: [{ b: { c: '1', d: '2' } }, { b: { c: '3' } }] }],
    ['a[][b][]=1&a[][b][]=2', { a: [{ b: ['1', '2'] }] }],
    ['a[0][k]=v&a[1][k]=w', { a: { 0: { k: 'v' }, 1: { k: 'w' } } }],
    ['a%5Bb%5D=c', { a: { b: 'c' } }],
    ['a[b', { 'a[b': '' }],
    ['a]b=1', { 'a]b': '1' }],
    ['a[b]c=1', { 'a[b]c': '1' }],
    ['a[b[c]]=1', { 'a[b[c]]': '1' }],
    ['[a]=1', { '[a]': '1' }],
    ['[]=1', { '[]': '1' }],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('plus is a space, an encoded plus is a plus, and each is decoded once', () => {
    expect(read('a+b=c+d&e=%2B&f=%2525&g=%26%3D')).toEqual({ 'a b': 'c d', e: '+', f: '%25', g: '&=' })
    expect(read('a=%E2%82%AC%F0%9F%A6%8A&%C3%A9=1')).toEqual({ a: '€🦊', é: '1' })
  })

  test.each(['a=1&a[b]=2', 'a=1&a[]=2', 'a[]=1&a[b]=2', 'a[b]=1&a[]=2', 'a[b]=1&a[b][c]=2', 'a[]=1&a[0]=2'])(
    'what contradicts itself is refused: %s',
    (text) => {
      expect(thrown(() => parseNestedParameters(text))).toEqual(refused)
    },
  )
})

describe('hostile input', () => {
  test('names of the language are plain data', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
    for (const name of names) {
      expect(Object.entries(parseNestedParameters(`${name}=1`))).toEqual([[name, '1']])
      const nested = parseNestedParameters(`a[${name}][polluted]=1&${name}[polluted]=2&b[][${name}]=3`)
      expect(Object.keys(nested)).toEqual(['a', name, 'b'])
      expect(Object.keys(nested.a as object)).toEqual([name])
      expect((nested[name] as RawParameters).polluted).toBe('2')
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.hasOwn([], 'polluted')).toBe(false)
  })

  test('nesting ends at a depth of 32', () => {
    const nested = (depth: number) => `a${'[b]'.repeat(depth - 1)}=1`
    expect(JSON.stringify(read(nested(32)))).toBe(`{"a":${'{"b":'.repeat(31)}"1"${'}'.repeat(32)}`)
    expect(thrown(() => parseNestedParameters(nested(33)))).toEqual(refused)
    expect(thrown(() => parseNestedParameters(`a${'[]'.repeat(100_000)}=1`))).toEqual(refused)
  })

  test('pairs end at 4,096', () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, index) => `a[]=${index}`).join('&')
    expect((read(pairs(4_096)) as { a: string[] }).a).toHaveLength(4_096)
    expect(thrown(() => parseNestedParameters(pairs(4_097)))).toEqual(refused)
    expect(thrown(() => parseNestedParameters('&'.repeat(5_000_000)))).toEqual(refused)
  })

  test.each(['%', '%4', '%zz', '%ff', '%c3%28', '%ed%a0%80', '%f4%90%80%80', 'a%'])(
    'bytes that are no text become what every parameter refuses: %s',
    (bytes) => {
      expect(parseNestedParameters(`a=${bytes}`).a).toContain('\u0000')
      expect(Object.keys(parseNestedParameters(`${bytes}=1`)).every((name) => name.includes('\u0000'))).toBe(true)
    },
  )
})

const word = fc.stringMatching(/^[a-zé🦊 +&=%#?/.]{1,6}$/u)

/** Hashes of texts, lists of texts and hashes, as deep as the limit allows. */
const { hash } = fc.letrec<{ hash: Record<string, unknown>; value: unknown }>((tie) => ({
  hash: fc.dictionary(word, tie('value'), { minKeys: 1, maxKeys: 3 }) as fc.Arbitrary<Record<string, unknown>>,
  value: fc.oneof({ maxDepth: 5 }, fc.string(), fc.array(fc.string(), { minLength: 1, maxLength: 3 }), tie('hash')),
}))

function written(value: unknown, name: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => written(item, `${name}[]`))
  if (typeof value !== 'object') return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`]
  return Object.entries(value as object).flatMap(([key, inner]) => written(inner, name ? `${name}[${key}]` : key))
}

describe('properties', () => {
  test('text written by the rules is read back', () => {
    fc.assert(
      fc.property(hash, (value) => {
        expect(read(written(value, '').join('&'))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('any text is read, or refused with 400', () => {
    const pieces = fc.constantFrom('a', '[', ']', '[]', '=', '&', '%', '%5B', '+', '0', '__proto__', '\u0000', 'é')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        try {
          parseNestedParameters(parts.join(''))
        } catch (error) {
          expect(error).toMatchObject(refused)
        }
      }),
    )
  })

  test('pairs one by one are the same as all at once', () => {
    const pair = fc.tuple(fc.constantFrom('a', 'b[]', 'c[d]', 'e[][f]', 'e[][g]'), fc.stringMatching(/^[a-z]{0,3}$/))
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 20 }), (pairs) => {
        const target = emptyParameters()
        for (const [name, value] of pairs) addParameter(target, name, value)
        expect(parseNestedParameters(pairs.map(([name, value]) => `${name}=${value}`).join('&'))).toEqual(target)
      }),
    )
  })
})
