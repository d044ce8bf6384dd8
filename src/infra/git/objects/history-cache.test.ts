import { describe, expect, test } from 'vitest'
import { historyCache, memoryOf } from './history-cache.ts'

describe('cached results', () => {
  test('are found by repository, kind and key', () => {
    const cache = historyCache(100_000)
    const numbers = memoryOf<number>(cache, 'number', () => 0)
    const others = memoryOf<number | null>(cache, 'other', () => 0)
    numbers.set('/a', 'key', 1)
    others.set('/a', 'key', null)
    expect([numbers.get('/a', 'key'), others.get('/a', 'key')]).toEqual([1, null])
    expect([numbers.get('/b', 'key'), numbers.get('/a', 'other')]).toEqual([undefined, undefined])
    cache.drop('/a')
    expect(numbers.get('/a', 'key')).toBeUndefined()
  })

  test('are evicted for new ones', () => {
    const memory = memoryOf<number>(historyCache(10_000), 'number', () => 100)
    for (let key = 0; key < 1_000; key += 1) memory.set('/a', String(key), key)
    expect(memory.get('/a', '999')).toBe(999)
    expect(memory.get('/a', '0')).toBeUndefined()
  })

  test('above a share of the cache are not cached, by size or by key', () => {
    const memory = memoryOf<number>(historyCache(16_000), 'number', (answer) => answer)
    memory.set('/a', 'small', 100)
    memory.set('/a', 'large', 5_000)
    memory.set('/a', 'k'.repeat(5_000), 1)
    expect(memory.get('/a', 'small')).toBe(100)
    expect(memory.get('/a', 'large')).toBeUndefined()
    expect(memory.get('/a', 'k'.repeat(5_000))).toBeUndefined()
  })
})
