import { describe, expect, test } from 'vitest'
import { readMappings, readPath } from './mappings.ts'

describe('a path', () => {
  test.each([
    [
      ['event', 0, 'name'],
      ['event', 0, 'name'],
    ],
    ["$.a.b[0]['odd key']", ['a', 'b', 0, 'odd key']],
    ['a.b', ['a', 'b']],
    ['$["it\'s"][12]', ["it's", 12]],
    ["['a\\'b']", ["a'b"]],
    ['$.with-dash', ['with-dash']],
  ])('%j is read', (given, expected) => {
    expect(readPath(given)).toEqual(expected)
  })

  test.each([
    '',
    '$',
    '$..a',
    '$.a[*]',
    '$.a[-1]',
    '$.a[?(@.b)]',
    "$['a",
    [],
    [null],
    [-1],
    [1.5],
    ['\u0000'],
    ['\ud800'],
    {},
    null,
    5,
    Array.from({ length: 101 }, () => 'a'),
  ])('%j is invalid', (given) => {
    expect(readPath(given)).toBeNull()
  })
})

describe('mappings', () => {
  const title = { field_name: 'title', path: ['a'] }

  test.each([
    ['must include title', [{ field_name: 'severity', path: ['a'] }], true],
    ['require payload_example', [title], false],
    ['has an invalid path', [{ ...title, path: '$..a' }], true],
    ['has a duplicate field_name', [title, title], true],
    [
      'has a duplicate field_name',
      [title, ...['gitlab', 'service'].map((by) => ({ field_name: `${by}_environment_name`, path: ['a'] }))],
      true,
    ],
    ['has an unknown field_name', [title, { field_name: 'constructor', path: ['a'] }], true],
  ])('%s', (sentence, given, hasExample) => {
    expect(readMappings(given, hasExample)).toBe(sentence)
  })

  test('get a label and a type', () => {
    expect(readMappings([{ field_name: 'title', path: '$.a.b' }], true)).toEqual([
      { field_name: 'title', path: ['a', 'b'], label: 'b', type: 'string' },
    ])
    expect(readMappings([], false)).toEqual([])
  })
})
