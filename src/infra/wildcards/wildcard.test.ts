import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wildcardMatcher } from './index.ts'

/** The simplest definition of a wildcard. */
function means(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  if (pattern.startsWith('*')) {
    return means(pattern.slice(1), name) || (name !== '' && means(pattern, name.slice(1)))
  }
  return name.startsWith(pattern[0] as string) && means(pattern.slice(1), name.slice(1))
}

describe('wildcardMatcher', () => {
  test.each([
    ['main', 'main', true],
    ['main', 'Main', false],
    ['main', 'main2', false],
    ['*', '', true],
    ['*', 'a/b', true],
    ['release/*', 'release/1', true],
    ['release/*', 'release/1/2', true],
    ['release/*', 'release/', true],
    ['release/*', 'xrelease/1', false],
    ['*-stable', 'a/b-stable', true],
    ['*-stable', '-stable', true],
    ['*-stable', 'a-stable-', false],
    ['a*b*a', 'aba', true],
    ['a*b*a', 'ab', false],
    ['aa*aa', 'aaa', false],
    ['aa*aa', 'aaaa', true],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['a?', 'ab', false],
    ['%', 'x', false],
  ])('%s and the name %s', (pattern, name, expected) => {
    expect(wildcardMatcher(pattern)(name)).toBe(expected)
  })

  test('agrees with the simplest definition', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 })
    fc.assert(
      fc.property(text, text, (pattern, name) => wildcardMatcher(pattern)(name) === means(pattern, name)),
      { numRuns: 2_000 },
    )
  })

  test('takes linear time for hostile input', () => {
    const matches = wildcardMatcher(`${'*a'.repeat(127)}*b`)
    for (let index = 0; index < 1_000; index += 1) expect(matches('a'.repeat(1_024))).toBe(false)
  })
})
