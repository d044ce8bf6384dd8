import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesPath } from './banners.ts'

describe('the path of a message', () => {
  test.each([
    [null, '/any', true],
    ['', '/any', true],
    ['/g/p', '/G/P', true],
    ['/g/p', '/g/p2', false],
    ['/g/p*', '/g/p2', true],
    ['*/p', '/g/p', true],
    ['/g/*/p', '/g/p', false],
    ['/a*a', '/a', false],
    ['/g.p', '/gxp', false],
  ])('%s matches %s: %s', (pattern, path, expected) => {
    expect(matchesPath(pattern, path)).toBe(expected)
  })

  test('matches as a regular expression does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 })
    fc.assert(
      fc.property(text, text, (pattern, path) => {
        fc.pre(pattern !== '' && !path.includes('*'))
        const expression = new RegExp(`^${pattern.split('*').join('.*')}$`)
        expect(matchesPath(pattern, path)).toBe(expression.test(path))
      }),
    )
  })
})
