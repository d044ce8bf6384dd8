import { expect, test } from 'vitest'
import { remembered } from './remembered.ts'

test('what is remembered is bounded, and what was used last stays', () => {
  const memory = remembered<string>(10, (value) => value.length)
  memory.set('a', 'aaaa')
  memory.set('b', 'bbbb')
  expect(memory.get('a')).toBe('aaaa')
  memory.set('c', 'cccc')
  expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual(['aaaa', undefined, 'cccc'])
  memory.set('c', 'c')
  memory.set('d', 'ddddd')
  expect([memory.get('a'), memory.get('c'), memory.get('d')]).toEqual(['aaaa', 'c', 'ddddd'])
  memory.set('e', 'e'.repeat(11))
  expect(['a', 'c', 'd', 'e'].map((key) => memory.get(key))).toEqual([undefined, undefined, undefined, undefined])
})
