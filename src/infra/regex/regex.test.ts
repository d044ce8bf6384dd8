import { expect, test } from 'vitest'
import { compileRegex, quoteRegex } from './index.ts'

test.each([
  ['^b', {}, 'a\nb', false],
  ['^b', { multiline: true }, 'a\nb', true],
  ['A', {}, 'a', false],
  ['A', { ignoreCase: true }, 'a', true],
  ['a.b', {}, 'a\nb', false],
  ['a.b', { dotAll: true }, 'a\nb', true],
  ['^B.c', { multiline: true, ignoreCase: true, dotAll: true }, 'a\nb\nc', true],
])('%j with %j is found in %j: %j', (pattern, flags, text, isFound) => {
  expect(compileRegex(pattern, flags).matcher(text).find()).toBe(isFound)
})

test('what RE2 does not know is refused', () => {
  expect(() => compileRegex('(?=a)')).toThrow()
})

test('a quoted text matches only itself', () => {
  const expression = compileRegex(quoteRegex('a.b*[c]'))
  expect(['a.b*[c]', 'axb*[c]'].map((text) => expression.matches(text))).toEqual([true, false])
})
