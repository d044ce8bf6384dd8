import { describe, expect, test } from 'vitest'
import { defaultsOf, instanceDefinitions } from '../../platform/settings/index.ts'
import { sha256Fingerprint } from './format/ssh-key.ts'
import {
  expiryProblems,
  type KeyPolicy,
  keyPolicy,
  readKey,
  readNewKey,
  refusal,
  type Technology,
  technologies,
} from './rules.ts'
import { blobOf, dsaLine, ed25519Line, lineOf, rsaBlob, rsaModulus } from './testing.ts'

const defaults = defaultsOf(instanceDefinitions())
const defaultPolicy = keyPolicy(defaults)
const short = lineOf(rsaBlob(65537n, rsaModulus(1024)))

function policy(types: Partial<KeyPolicy['types']>): KeyPolicy {
  return { ...defaultPolicy, types: { ...defaultPolicy.types, ...types } }
}

function onlyAllowing(...allowed: Technology[]): KeyPolicy {
  return policy(Object.fromEntries(technologies.map((name) => [name, allowed.includes(name) ? 0 : 'forbidden'])))
}

const texts = (line: string, rules: KeyPolicy) => readKey(line, rules).problems.map(({ text }) => text)

describe('a policy', () => {
  test('is what the settings of the instance say', () => {
    const { types } = keyPolicy({ ...defaults, rsa_key_restriction: 2048, ed25519_key_restriction: -1 })
    expect(types).toEqual({ ...defaultPolicy.types, RSA: 2048, ED25519: 'forbidden' })
    expect(keyPolicy({ ...defaults, dsa_key_restriction: 1024 }).types.DSA).toBe('forbidden')
  })

  test('forbids types, and names the accepted ones', () => {
    const line = ed25519Line('forbidden')
    expect(texts(line, onlyAllowing('RSA'))).toEqual(['type is forbidden. Must be RSA'])
    expect(texts(line, onlyAllowing('RSA', 'DSA'))).toEqual(['type is forbidden. Must be RSA or DSA'])
    expect(texts(line, onlyAllowing('RSA', 'ECDSA', 'ED25519_SK'))).toEqual([
      'type is forbidden. Must be RSA, ECDSA, or ED25519_SK',
    ])
    expect(texts(line, onlyAllowing('ED25519'))).toEqual([])
    expect(texts(dsaLine, policy({ DSA: 0 }))).toEqual([])
  })

  test('requires a minimum size', () => {
    expect(texts(short, policy({ RSA: 1024 }))).toEqual([])
    expect(texts(short, policy({ RSA: 1025 }))).toEqual(['must be at least 1025 bits'])
    expect(texts(ed25519Line('small'), policy({ RSA: 4096 }))).toEqual([])
  })

  test('rejects compromised keys', () => {
    const blob = blobOf('ssh-ed25519', Buffer.alloc(32, 9))
    const rules = { ...policy({ ED25519: 512 }), compromised: new Set([sha256Fingerprint(blob)]) }
    expect(texts(lineOf(blob, 'whatever comment'), rules)).toEqual([
      'must be at least 512 bits',
      'cannot be used because it belongs to a compromised private key. Stop using this key and generate a new one.',
    ])
    expect(texts(ed25519Line('kept'), { ...rules, types: defaultPolicy.types })).toEqual([])
  })
})

test('a refusal names each field once, with a prefix', () => {
  const { problems } = readKey('garbage', defaultPolicy)
  expect(refusal(problems, 'deploy_key.').body).toEqual({
    message: {
      'deploy_key.key': ['type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK', 'is invalid'],
      'deploy_key.fingerprint_sha256': ['cannot be generated'],
    },
  })
})

describe('the expiry of a key', () => {
  const moment = new Date('2026-03-01T12:00:00.000Z')
  test.each([
    [undefined, null, null],
    ['2026-03-01T12:00:00.001Z', null, null],
    ['2026-03-01T12:00:00.000Z', null, ['key', 'has expired']],
    ['2026-02-01T00:00:00.000Z', 30, ['key', 'has expired']],
    [undefined, 30, ['expires_at', "can't be blank"]],
    ['2026-03-31T12:00:00.000Z', 30, null],
    ['2026-03-31T12:00:00.001Z', 30, ['expires_at', 'must be before 2026-03-31']],
  ])('%s, with a lifetime of %s days: %j', (expiresAt, days, problem) => {
    const [field, text] = problem ?? []
    expect(expiryProblems(expiresAt, days, moment)).toEqual(problem ? [{ field, text }] : [])
  })
})

test('the problems of a new key are those of its text, its fingerprint, its expiry and its title', () => {
  const moment = new Date('2026-03-01T12:00:00.000Z')
  const wanted = { title: ' ', key: ed25519Line('new'), expires_at: '2020-01-01T00:00:00.000Z' }
  const { key, problems } = readNewKey(wanted, moment, defaults)
  expect(key?.type).toBe('ssh-ed25519')
  const others = ['key has expired', "title can't be blank"]
  const said = (isTaken: boolean) => problems(isTaken).map(({ field, text }) => `${field} ${text}`)
  expect(said(false)).toEqual(others)
  expect(said(true)).toEqual(['fingerprint_sha256 has already been taken', ...others])
  const long = readNewKey({ title: 'x'.repeat(256), key: 'x'.repeat(5001) }, moment, defaults).problems(false)
  expect(long).toEqual([
    { field: 'key', text: 'is too long (maximum is 5000 characters)' },
    { field: 'title', text: 'is too long (maximum is 255 characters)' },
  ])
  expect(
    readNewKey({ title: 'x'.repeat(255), key: ` ${'x'.repeat(5000)} ` }, moment, defaults).problems(false),
  ).toHaveLength(3)
})
