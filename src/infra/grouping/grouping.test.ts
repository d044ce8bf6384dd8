import { describe, expect, test } from 'vitest'
import { valuesByKey, valuesByName } from './index.ts'

const pairs = [
  { key: 'b', value: 1 },
  { key: 'a', value: 2 },
  { key: 'b', value: 3 },
]
const key = (pair: (typeof pairs)[number]) => pair.key
const value = (pair: (typeof pairs)[number]) => pair.value

describe('values by key', () => {
  test('keep the order of the keys and of the values', () => {
    expect([...valuesByKey(pairs, key, value)]).toEqual([
      ['b', [1, 3]],
      ['a', [2]],
    ])
    expect(JSON.stringify(valuesByName(pairs, key, value))).toBe('{"b":[1,3],"a":[2]}')
  })

  test('have names of the prototype of objects like all others', () => {
    const names = ['__proto__', 'constructor', '__proto__']
    const found = valuesByName(
      names,
      (name) => name,
      (name) => name.length,
    )
    expect(JSON.stringify(found)).toBe('{"__proto__":[9,9],"constructor":[11]}')
    expect(Object.getPrototypeOf(found)).toBe(null)
  })

  test('are one array for each key, which grows in place', () => {
    const items = Array.from({ length: 1_000_000 }, (_, index) => index)
    const found = valuesByKey(
      items,
      () => 'one',
      (item) => item,
    )
    expect(found.get('one')).toHaveLength(1_000_000)
  })
})
