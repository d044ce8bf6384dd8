import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { issueRegistryToken } from './issue.ts'
import { currentSigningKey, type SigningKey } from './signing-keys/signing-keys.ts'
import { verifyRegistryToken } from './verify.ts'

const clock = manualClock({ start: '2026-05-06T07:08:09.500Z' })
const access = [{ type: 'repository', name: 'g/p/web', actions: ['pull', 'push'] }]
let server: TestServer
let platform: Platform
let key: SigningKey
let token: string
beforeAll(async () => {
  server = await startTestServer({ clock })
  platform = server.app.platform
  key = await currentSigningKey(platform)
  token = (await issue()).token
})
afterAll(() => server.stop())

const credential = { kind: 'oauth', id: 7, user: 8 } as const
const contents = { subject: 'dora', authType: 'oauth', credential, access, asked: ['g/p/other'] } as const
const issue = () => issueRegistryToken(platform, contents)
const verify = (text: string) => verifyRegistryToken(platform, `Bearer ${text}`)
const kindOf = async (text: string) => (await verify(text)).kind
const epoch = () => Math.floor(clock.now().getTime() / 1000)
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const claims = () => ({
  iss: 'fennec-issuer',
  aud: 'container_registry' as string | string[],
  nbf: epoch(),
  exp: epoch() + 300,
  access,
})
type Claims = Partial<ReturnType<typeof claims>> & Record<string, unknown>

/** A token with other claims or another header, signed by the real key unless another is given. */
function made(changes: Claims = {}, header: Record<string, unknown> = {}, by: KeyObject = key.privateKey) {
  const payload = { ...claims(), ...changes }
  return new SignJWT(payload).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: key.kid, ...header }).sign(by)
}

/** A token whose third part the caller makes. */
function handmade(header: Record<string, unknown>, sign: (signed: string) => string) {
  const signed = `${part({ typ: 'JWT', kid: key.kid, ...header })}.${part(claims())}`
  return `${signed}.${sign(signed)}`
}

describe('a token that the server has issued', () => {
  test('is valid, with what it grants', async () => {
    expect(await verify(token)).toEqual({
      kind: 'valid',
      token: { subject: 'dora', access, asked: ['g/p/other'], credential },
    })
    expect((await verifyRegistryToken(platform, `bEARER   ${token}`)).kind).toBe('valid')
  })

  test('is valid until five seconds after its expiry, and from five seconds before its beginning', async () => {
    const { token, expiresIn, issuedAt } = await issue()
    expect([expiresIn, issuedAt]).toEqual([300, clock.now().toISOString()])
    clock.advance(304_000)
    expect(await kindOf(token)).toBe('valid')
    clock.advance(1_000)
    expect(await kindOf(token)).toBe('invalid')
    expect(await kindOf(await made({ nbf: epoch() + 5 }))).toBe('valid')
    expect(await kindOf(await made({ nbf: epoch() + 6 }))).toBe('invalid')
  })

  test('of the anonymous user has no subject', async () => {
    const { token } = await issueRegistryToken(platform, {
      subject: null,
      authType: 'none',
      credential: null,
      access: [],
    })
    expect(await verify(token)).toEqual({
      kind: 'valid',
      token: { subject: null, access: [], asked: [], credential: null },
    })
  })

  test('may name several audiences', async () => {
    expect(await kindOf(await made())).toBe('valid')
    expect(await kindOf(await made({ aud: ['other', 'container_registry'] }))).toBe('valid')
  })
})

describe('no token', () => {
  test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Basic', 'Digest a', 'token'])(
    '%j',
    async (sent) => {
      expect(await verifyRegistryToken(platform, sent)).toEqual({ kind: 'missing' })
    },
  )
})

describe('a token that is not accepted', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const publicText = () => key.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const cases: Record<string, () => string | Promise<string>> = {
    'without an algorithm': () => handmade({ alg: 'none' }, () => ''),
    'without an algorithm, with a signature': () => handmade({ alg: 'none' }, () => token.split('.')[2] ?? ''),
    'with the public key as a shared secret': () =>
      handmade({ alg: 'HS256' }, (text) => createHmac('sha256', publicText()).update(text).digest('base64url')),
    'with another algorithm of the same key': () => made({}, { alg: 'RS512' }),
    'with padding that is not asked for': () => made({}, { alg: 'PS256' }),
    'with an unknown key id': () => made({}, { kid: 'unknown' }),
    'without a key id': () => made({}, { kid: undefined }),
    'with a key id that is no text': () => made({}, { kid: 7 }),
    'with a huge key id': () => made({}, { kid: 'k'.repeat(10_000) }),
    'of another key under the id of ours': () => made({}, {}, other),
    'with a key of its own': () =>
      made({}, { jwk: { kty: 'RSA', n: key.publicKey.export({ format: 'jwk' }).n, e: 'AQAB' } }, other),
    'with an extension that is not known': () =>
      handmade({ alg: 'RS256', crit: ['exp'], exp: 1 }, (text) =>
        sign('RSA-SHA256', Buffer.from(text), key.privateKey).toString('base64url'),
      ),
    'of another issuer': () => made({ iss: 'other' }),
    'for another audience': () => made({ aud: 'other' }),
    'without an audience': () => made({ aud: undefined }),
    'without an expiry': () => made({ exp: undefined }),
    'without a beginning': () => made({ nbf: undefined }),
    'that has expired': () => made({ exp: epoch() - 5 }),
    'whose expiry is a text': () => made({ exp: '9999999999' as never }),
    'without access': () => made({ access: undefined }),
    'with malformed access': () => made({ access: [{ type: 'repository', name: 'a/b', actions: 'pull' }] as never }),
    'whose access is null': () => made({ access: [null] as never }),
    'with a changed payload': () => {
      const [header, , signature] = token.split('.')
      return [header, part({ ...claims(), access: [{ ...access[0], actions: ['*'] }] }), signature].join('.')
    },
    'with a changed signature': () => `${token.slice(0, -8)}AAAAAAAA`,
    'of two parts': () => token.split('.').slice(0, 2).join('.'),
    'of two parts and a point': () => `${token.split('.').slice(0, 2).join('.')}.`,
    'of four parts': () => `${token}.${part({})}`,
    'of points': () => '...',
    'of other text': () => 'glpat-aaaaaaaaaaaaaaaaaaaa',
    'of two words': () => `${token} ${token}`,
    'that is no text': () => '\u00ff\u0001\u00fe.a.b',
    'with a header that is no JSON': () => `e30x.${part(claims())}.AAAA`,
    'with a header that is a list': () => `${part([])}.${part(claims())}.AAAA`,
    'of a megabyte': () => `${'a'.repeat(1 << 20)}.b.c`,
  }
  test.each(Object.entries(cases))('%s', async (_, make) => {
    expect(await verify(await make())).toEqual({ kind: 'invalid' })
  })

  test('the token that these were made of is valid itself', async () => {
    expect(await kindOf((await issue()).token)).toBe('valid')
    expect(await kindOf(await made())).toBe('valid')
  })
})
