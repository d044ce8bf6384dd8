import { describe, expect, test } from 'vitest'
import { sha256Fingerprint } from './format/ssh-key.ts'
import { defaultKeyPolicy, type KeyPolicy, readKey, refusal, type Technology, technologies } from './rules.ts'
import { blobOf, dsaLine, ed25519Line, lineOf, rsaBlob, rsaModulus } from './testing.ts'

const short = lineOf(rsaBlob(65537n, rsaModulus(1024)))

function policy(types: Partial<KeyPolicy['types']>): KeyPolicy {
  return { ...defaultKeyPolicy, types: { ...defaultKeyPolicy.types, ...types } }
}

function onlyAllowing(...allowed: Technology[]): KeyPolicy {
  return policy(Object.fromEntries(technologies.map((name) => [name, allowed.includes(name) ? 0 : 'forbidden'])))
}

const texts = (line: string, rules: KeyPolicy) => readKey(line, rules).problems.map(({ text }) => text)

describe('a policy', () => {
  test('forbids types, and names the accepted ones', () => {
    const line = ed25519Line('forbidden')
    expect(texts(line, onlyAllowing('RSA'))).toEqual(['type is forbidden. Must be RSA'])
    expect(texts(line, onlyAllowing('RSA', 'ECDSA'))).toEqual(['type is forbidden. Must be RSA or ECDSA'])
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
    expect(texts(ed25519Line('kept'), { ...rules, types: defaultKeyPolicy.types })).toEqual([])
  })
})

test('a refusal names each field once, with a prefix', () => {
  const { problems } = readKey('garbage', defaultKeyPolicy)
  expect(refusal(problems, 'deploy_key.').body).toEqual({
    message: {
      'deploy_key.key': ['type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK', 'is invalid'],
      'deploy_key.fingerprint_sha256': ['cannot be generated'],
    },
  })
})
