import { describe, expect, test } from 'vitest'
import { globMatcher } from '../../../infra/wildcards/index.ts'
import { compilePattern, parseExpression } from './expression.ts'

const variables: Record<string, string> = { A: '1', E: '', T: 'text', P: '/^te/', I: '/^TE/i' }
const outcomeOf = (text: string) => parseExpression(text)?.((name) => variables[name]) ?? null

describe('an expression', () => {
  test.each([
    ['$A', true],
    ['$E', false],
    ['$NONE', false],
    ['"x"', true],
    ['""', false],
    ['null', false],
    ['$A == "1"', true],
    ["$A == '2'", false],
    ['$A != "1"', false],
    ['$A != "2"', true],
    ['$NONE == null', true],
    ['$E == null', false],
    [['$', '{A} == $A'].join(''), true],
    ['$T =~ /^te/', true],
    ['$T =~ /^TE/', false],
    ['$T =~ /^TE/i', true],
    ['$T !~ /^te/', false],
    ['$T !~ /^x/', true],
    ['$T =~ $P', true],
    ['$T =~ $I', true],
    ['$T =~ "ex"', true],
    ['$T =~ "xe"', false],
    ['$NONE =~ /x/', false],
    ['$NONE !~ /x/', true],
    ['$T =~ $NONE', false],
    ['"null" =~ $NONE', false],
    ['$A && $E', false],
    ['$E && $A', false],
    ['$A && $T', true],
    ['$E || $A', true],
    ['$E || $NONE', false],
    ['$A || $E && $E', true],
    ['($A || $E) && $E', false],
    ['($E || $A) && $T', true],
    [' $A ', true],
    ['$T =~ /t\\/?e/', true],
    [`${'('.repeat(50)}$A${')'.repeat(50)}`, true],
    [`"${'x'.repeat(9_998)}"`, true],
  ])('%s is %s', (text, expected) => expect(outcomeOf(text)).toBe(expected))

  test.each([
    '',
    ' ',
    '$',
    '$A ==',
    '== "1"',
    '$A "1"',
    '($A',
    '$A)',
    '$A & $B',
    '$A =~ /(/',
    '$A =~ /(a{100}){100}/',
    `${'('.repeat(51)}$A${')'.repeat(51)}`,
    `($A) && ${'('.repeat(51)}$A${')'.repeat(51)}`,
    `"${'x'.repeat(9_999)}"`,
  ])('`%s` has no valid syntax', (text) => expect(parseExpression(text)).toBeNull())

  test('has patterns of RE2 with the flag `i` only', () => {
    expect(compilePattern('a\\/b', '')?.matcher('a/b').find()).toBe(true)
    expect(compilePattern('A', 'i')?.matcher('a').find()).toBe(true)
    expect(compilePattern('A', 'm')?.matcher('a').find()).toBe(false)
    expect(compilePattern('(?=a)', '')).toBeNull()
  })
})

describe('a glob', () => {
  test.each([
    ['a/b', 'a/b', true],
    ['/a/b', 'a/b', true],
    ['./a/b', 'a/b', true],
    ['a/b', 'a/bc', false],
    ['a/*', 'a/b', true],
    ['a/*', 'a/b/c', false],
    ['a/**', 'a/b/c', true],
    ['**/c', 'c', true],
    ['**/c', 'a/b/c', true],
    ['**/c', 'a/bc', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['*.{js,ts}', 'x.ts', true],
    ['*.{js,ts}', 'x.css', false],
    ['{a,b{c,d}}', 'bd', true],
    ['{a,b{c,d}}', 'b', false],
    ['{a,b},c', 'a,c', true],
    ['{a{b,c},d}', 'd', true],
    ['a,*', 'a,b', true],
    ['a,*', 'a', false],
    ['*}{', 'x}{', true],
    ['*{', 'x{', true],
    ['[ab]c', 'bc', true],
    ['[!ab]c', 'bc', false],
    ['[^ab]c', 'dc', true],
    ['[a-c]*', 'bx', true],
    ['[a&]*', '&x', true],
    ['*.x', 'a.x', true],
    ['*.x', 'a-x', false],
    ['*', 'a\nb', true],
    ['**', 'a\nb', true],
    ['[z-a]*', '[z-a]*', true],
    ['[z-a]*', 'z', false],
  ])('%s matches %s: %s', (pattern, path, expected) => expect(globMatcher(pattern)(path)).toBe(expected))
})
