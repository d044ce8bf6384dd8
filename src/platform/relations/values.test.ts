import { describe, expect, test } from 'vitest'
import * as values from './values.ts'

const strange: unknown[] = [[], {}, () => {}, Number.NaN, Number.POSITIVE_INFINITY, 1e30, -1.5]

describe('members of imported lines', () => {
  test('a missing one is null', () => {
    for (const read of [
      values.textOf,
      values.integerOf,
      values.numberOf,
      values.timeOf,
      values.dateOf,
      values.lineOf,
      values.shaOf,
    ]) {
      expect(read({}, 'x')).toBeNull()
      expect(read({ x: null }, 'x')).toBeNull()
    }
    expect(values.booleanOf({}, 'x', true)).toBe(true)
    expect(values.linesOf({}, 'x')).toEqual([])
    expect(() => values.requiredText({}, 'x')).toThrow("x can't be blank")
    expect(() => values.requiredTime({}, 'x')).toThrow('x is missing')
    expect(() => values.iidOf({})).toThrow('iid is missing')
  })

  test('one of another type is refused', () => {
    for (const x of strange) {
      for (const read of [values.textOf, values.timeOf, values.dateOf, values.shaOf, values.integerOf]) {
        expect(() => read({ x }, 'x')).toThrow('x is invalid')
      }
      expect(() => values.booleanOf({ x }, 'x', false)).toThrow('x is invalid')
      expect(values.wordOf({ x }, 'x', ['a', 'b'], 'a')).toBe('a')
    }
    expect(() => values.lineOf({ x: [] }, 'x')).toThrow('x is invalid')
    expect(() => values.linesOf({ x: [1] }, 'x')).toThrow('x is invalid')
    expect(() => values.linesOf({ x: {} }, 'x')).toThrow('x is invalid')
  })

  test('texts are what both engines store, and no longer than allowed', () => {
    expect(values.textOf({ x: 'a\0b\ud800' }, 'x')).toBe('ab\ufffd')
    expect(() => values.textOf({ x: 'abc' }, 'x', 2)).toThrow('is too long (maximum is 2 characters)')
    expect(() => values.requiredText({ x: ' \n' }, 'x')).toThrow("can't be blank")
  })

  test('times of other servers are read, in UTC', () => {
    const at = (x: string) => values.timeOf({ x }, 'x')
    expect(at('2026-01-02T03:04:05.678Z')).toBe('2026-01-02T03:04:05.678Z')
    expect(at('2026-01-02T03:04:05.678+02:00')).toBe('2026-01-02T01:04:05.678Z')
    expect(at('2026-01-02 03:04:05 UTC')).toBe('2026-01-02T03:04:05.000Z')
    for (const x of ['2026-01-02', 'now', '9999999', '2026-13-45T00:00:00Z']) expect(() => at(x)).toThrow('is invalid')
    expect(values.dateOf({ x: '2026-02-28T00:00:00Z' }, 'x')).toBe('2026-02-28')
    expect(() => values.dateOf({ x: '2026-02-30' }, 'x')).toThrow('is invalid')
  })

  test('numbers are within their bounds', () => {
    expect(values.iidOf({ iid: 7 })).toBe(7)
    for (const iid of [0, -1, 2 ** 31]) expect(() => values.iidOf({ iid })).toThrow('iid is invalid')
    expect(() => values.integerOf({ x: 5 }, 'x', { most: 4 })).toThrow('x is invalid')
  })
})
