import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deriveKey, openSealer, SealError } from './index.ts'

const key = randomBytes(32)

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof SealError) return error.code
    throw error
  }
  return 'no error'
}

describe('the sealer', () => {
  test.each(['', 'secret', 'ключ 🦊', 'x'.repeat(100_000)])('opens what it sealed', (plain) => {
    const sealer = openSealer(key)
    expect(sealer.open(sealer.seal(plain, 'variables:1:value'), 'variables:1:value')).toBe(plain)
  })

  test('a text is sealed differently each time, and the result does not contain it', () => {
    const sealer = openSealer(key)
    const sealed = sealer.seal('plain-text', 'a')
    expect(sealed).not.toBe(sealer.seal('plain-text', 'a'))
    expect(sealed).not.toContain('plain-text')
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').includes('plain-text')).toBe(false)
  })

  test('a value that was copied to another row does not open', () => {
    const sealer = openSealer(key)
    const sealed = sealer.seal('secret', 'variables:1:value')
    expect(codeOf(() => sealer.open(sealed, 'variables:2:value'))).toBe('damaged')
    expect(codeOf(() => sealer.open(sealed, ''))).toBe('damaged')
  })

  test('a change of any byte is detected', () => {
    const sealer = openSealer(key)
    const [version, keyId, text] = sealer.seal('secret', 'a').split('.')
    const body = Buffer.from(text ?? '', 'base64url')
    for (let index = 0; index < body.length; index++) {
      const changed = Buffer.from(body)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(codeOf(() => sealer.open(`${version}.${keyId}.${changed.toString('base64url')}`, 'a'))).toBe('damaged')
    }
  })

  test.each(['', 'plain', 'v1.', 'v1.0123456789abcdef.', 'v1.0123456789abcdef.AAAA', 'v2.0123456789abcdef.AAAA', '\0'])(
    'what is not a sealed value is refused: %j',
    (text) => {
      expect(codeOf(() => openSealer(key).open(text, 'a'))).toBe('damaged')
    },
  )

  test('an unknown key is reported by its id, without the secret', () => {
    const sealed = openSealer(key).seal('hush', 'a')
    const open = () => openSealer(randomBytes(32)).open(sealed, 'a')
    expect(codeOf(open)).toBe('unknown_key')
    expect(open).toThrow(/FENNEC_SECRET_KEY/)
    expect(open).not.toThrow(/hush/)
  })

  test('a text key is accepted; a binary key must have 32 bytes', () => {
    expect(openSealer('a long configured secret').open(openSealer('a long configured secret').seal('x', ''), '')).toBe(
      'x',
    )
    expect(() => openSealer(randomBytes(16))).toThrow(RangeError)
    expect(() => openSealer('')).toThrow(RangeError)
  })

  test('keys for different purposes differ', () => {
    expect(deriveKey(key, 'sealing')).toHaveLength(32)
    expect(deriveKey(key, 'sealing').equals(deriveKey(key, 'signing'))).toBe(false)
    expect(deriveKey(key, 'sealing').equals(deriveKey(key, 'sealing'))).toBe(true)
  })
})
