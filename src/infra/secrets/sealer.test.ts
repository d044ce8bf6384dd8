import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
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

  describe('content', () => {
    const sealer = openSealer(key)
    async function* piecesOf(bytes: Buffer, size: number) {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    const sealed = (plain: Buffer, pieces = 1000) => buffer(sealer.sealContent(piecesOf(plain, pieces), 'a'))
    const opened = (bytes: Buffer, context = 'a', pieces = 999) =>
      buffer(sealer.openContent(piecesOf(bytes, pieces), context))
    const segment = 64 * 1024

    test.each([0, 1, segment - 1, segment, segment + 1, 3 * segment, 3 * segment + 7])('of %i bytes', async (size) => {
      const plain = randomBytes(size)
      const bytes = await sealed(plain)
      const segments = Math.max(1, Math.ceil(size / segment))
      expect(bytes.length).toBe(52 + size + 16 * segments)
      expect((await opened(bytes)).equals(plain)).toBe(true)
      expect((await opened(bytes, 'a', 1_000_000)).equals(plain)).toBe(true)
      if (size > 16) expect(bytes.includes(plain.subarray(0, 16))).toBe(false)
    })

    const refusal = (bytes: Buffer, context?: string) =>
      opened(bytes, context).then(
        () => 'no error',
        (error) => (error instanceof SealError ? error.code : String(error)),
      )

    test('that was changed, cut, lengthened or moved does not open', async () => {
      const bytes = await sealed(randomBytes(2 * segment + 5))
      for (const at of [0, 5, 25, 60, segment + 100, bytes.length - 1]) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        expect(await refusal(changed)).not.toBe('no error')
      }
      const ends = [0, 10, 20, 52, 52 + segment + 16, 52 + 2 * (segment + 16), bytes.length - 1]
      for (const end of ends) expect(await refusal(bytes.subarray(0, end))).toBe('damaged')
      expect(await refusal(Buffer.concat([bytes, Buffer.from('x')]))).toBe('damaged')
      const [first, second] = [52, 52 + segment + 16].map((at) => bytes.subarray(at, at + segment + 16))
      const swapped = [bytes.subarray(0, 52), second, first, bytes.subarray(52 + 2 * (segment + 16))]
      expect(await refusal(Buffer.concat(swapped as Buffer[]))).toBe('damaged')
      expect(await refusal(bytes, 'b')).toBe('damaged')
      expect(await refusal(bytes)).toBe('no error')
    })

    test('under another key is reported by its id', async () => {
      const bytes = await buffer(openSealer(randomBytes(32)).sealContent(piecesOf(Buffer.from('hush'), 9), 'a'))
      expect(await refusal(bytes)).toBe('unknown_key')
    })
  })

  test('keys for different purposes differ', () => {
    expect(deriveKey(key, 'sealing')).toHaveLength(32)
    expect(deriveKey(key, 'sealing').equals(deriveKey(key, 'signing'))).toBe(false)
    expect(deriveKey(key, 'sealing').equals(deriveKey(key, 'sealing'))).toBe(true)
  })
})
