import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isValidToken, nodeAuthorization, sentToken } from './token.ts'

const at = new Date('2026-01-01T00:00:00Z')
const iat = at.getTime() / 1000
const header = { alg: 'HS256', typ: 'JWT' }
const claims = { iat, exp: iat + 60, scope: 'geo_api' }
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(head: string, body: string): string {
  const text = `${head}.${body}`
  return `${text}.${createHmac('sha256', 'secret').update(text).digest('base64url')}`
}

const jwt = signed(encode(header), encode(claims))

describe('the header of a node', () => {
  test('names the key before the token', () => {
    expect(nodeAuthorization({ accessKey: 'key', secret: 'secret' }, at)).toBe(`Fennec-Geo key:${jwt}`)
    const sent = { accessKey: 'key', jwt }
    expect(sentToken(`Fennec-Geo key:${jwt}`)).toEqual(sent)
    expect(sentToken(`fennec-geo \t key:${jwt} `)).toEqual(sent)
    const longest = { accessKey: 'k'.repeat(100), jwt: 'a'.repeat(4000) }
    expect(sentToken(`Fennec-Geo ${longest.accessKey}:${longest.jwt}`)).toEqual(longest)
  })

  test.each([undefined, '', 'Bearer x', 'Fennec-Geographer k:a.b.c', `Basic Fennec-Geo k:${jwt}`])(
    '%j is another credential',
    (text) => expect(sentToken(text)).toBeUndefined(),
  )

  test.each([
    ...['Fennec-Geo', 'Fennec-Geo x', 'Fennec-Geo :', 'Fennec-Geo k:', 'Fennec-Geo :a.b.c', 'Fennec-Geo k k:a.b.c'],
    ...['Fennec-Geo k:a.b.c d', 'Fennec-Geo ü:a.b.c', 'Fennec-Geo k:a/b'],
    ...[`Fennec-Geo k:${'a'.repeat(4001)}`, `Fennec-Geo ${'k'.repeat(101)}:a.b.c`],
  ])('%j is malformed', (text) => expect(sentToken(text)).toBeNull())
})

describe('a node token', () => {
  const later = (seconds: number) => new Date(at.getTime() + seconds * 1000)

  test.each([
    [-31, false],
    [-30, true],
    [0, true],
    [60, true],
    [90, true],
    [91, false],
  ])('read %i seconds after it was made is valid: %s', (seconds, isValid) => {
    expect(isValidToken(jwt, 'secret', later(seconds))).toBe(isValid)
    expect(isValidToken(jwt, 'other', later(seconds))).toBe(false)
  })

  test.each<[unknown, unknown]>([
    [{ ...header, alg: 'HS512' }, claims],
    [{ ...header, alg: 'none' }, claims],
    [{ typ: 'JWT' }, claims],
    ...[null, 'HS256', 1, true, [], ['HS256']].map((head): [unknown, unknown] => [head, claims]),
    ...[null, 'geo_api', 1, true, [], ['geo_api']].map((claimed): [unknown, unknown] => [header, claimed]),
    [header, { ...claims, scope: 'geo_git' }],
    [header, { iat, exp: iat + 60 }],
    [header, { ...claims, exp: iat + 61 }],
    [header, { ...claims, exp: undefined }],
    [header, { ...claims, iat: undefined }],
    [header, { ...claims, iat: iat + 0.5 }],
    [header, { ...claims, exp: `${iat + 60}` }],
    [header, { ...claims, iat: iat + 31, exp: iat + 60 }],
    [header, { ...claims, iat: iat - 100, exp: iat - 31 }],
  ])('of the parts %j and %j is refused', (head, claimed) => {
    expect(isValidToken(signed(encode(head), encode(claimed)), 'secret', at)).toBe(false)
  })

  test.each([
    `${encode({ alg: 'none' })}.${encode(claims)}.`,
    `${encode(header)}.${encode(claims)}`,
    signed('e30=nonsense', encode(claims)),
    signed(encode(header), ''),
    signed('', ''),
    `${jwt}.more`,
    `${jwt}x`,
    ...['', '.', '..', 'a.b.c.d', '💥.💥.💥'],
  ])('%j is refused', (text) => expect(isValidToken(text, 'secret', at)).toBe(false))
})
