import { describe, expect, test } from 'vitest'
import { pooledRandom } from './pooled-random.ts'

/** Numbers the bytes that it gives, and counts how often it is asked. */
function numbered() {
  let asked = 0
  let next = 0
  const give = (count: number) => {
    asked += 1
    return Uint8Array.from({ length: count }, () => next++ % 251)
  }
  return { give, asked: () => asked }
}

describe('random bytes out of a supply', () => {
  test('no byte is given twice', () => {
    const random = pooledRandom(numbered().give)
    const given = Array.from({ length: 100 }, () => [...random(16)]).flat()
    expect(given).toEqual(Array.from({ length: 1_600 }, (_, index) => index % 251))
  })

  test('the system is asked once for many', () => {
    const source = numbered()
    const random = pooledRandom(source.give)
    for (let index = 0; index < 256; index += 1) random(16)
    expect(source.asked()).toBe(1)
    random(16)
    expect(source.asked()).toBe(2)
  })

  test('as many as are asked for, though it be more than the supply', () => {
    const random = pooledRandom(numbered().give)
    random(10)
    expect(random(10_000)).toHaveLength(10_000)
    expect(random(0)).toHaveLength(0)
  })
})
