import { describe, expect, test } from 'vitest'
import { hashToken, randomHex, randomToken, safeEqual } from './index.ts'

describe('tokens', () => {
  test('a random token is its prefix and twenty characters of the alphabet', () => {
    expect(randomToken('glpat-')).toMatch(/^glpat-[A-Za-z0-9_-]{20}$/)
    expect(randomToken('', 7)).toHaveLength(7)
    expect(randomHex(32)).toMatch(/^[0-9a-f]{64}$/)
  })

  test('all characters of the alphabet are about equally frequent', () => {
    const counts = new Map<string, number>()
    for (const character of randomToken('', 64_000)) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(64)
    // 1,000 expected each, standard deviation 31: eight of them never happen, a doubled character always would.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250)
  })

  test('the stored hash is SHA-256 in hex', () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test('safeEqual compares text and bytes of any length', () => {
    expect(safeEqual('secret', 'secret')).toBe(true)
    expect(safeEqual('secret', Buffer.from('secret'))).toBe(true)
    expect(safeEqual('secret', 'secres')).toBe(false)
    expect(safeEqual('secret', 'secret\0')).toBe(false)
    expect(safeEqual('', 'x')).toBe(false)
    expect(safeEqual('', '')).toBe(true)
  })
})
