import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Masker } from './masking.ts'

/** Masks a text that arrives in these parts. */
function masked(parts: readonly string[], values: readonly string[], prefixes: readonly string[] = []): string {
  const masker = new Masker(values, prefixes)
  const shown = parts.map((part) => masker.push(Buffer.from(part)))
  return Buffer.concat([...shown, masker.end()]).toString()
}

describe('a secret', () => {
  test.each([
    [['a secret1 b'], ['secret1'], 'a [MASKED] b'],
    [['a sec', 'ret1 b'], ['secret1'], 'a [MASKED] b'],
    [['a secret', '0'], ['secret1'], 'a secret0'],
    [['abcdef abc'], ['abc', 'abcdef'], '[MASKED] [MASKED]'],
    [['abc', 'def'], ['abc', 'abcdef'], '[MASKED]'],
    [['abcab', 'c'], ['abcabc'], '[MASKED]'],
    [['x abcabc', 'abcabc'], ['abcabc'], 'x [MASKED][MASKED]'],
    [['a.c abc'], ['a.c'], '[MASKED] abc'],
    [['süß', 'es'], ['süßes'], '[MASKED]'],
    [['two\nlines'], ['two\nlines'], '[MASKED]'],
    [['nothing'], [''], 'nothing'],
  ])('%j without %j is %j', (parts, values, expected) => {
    expect(masked(parts, values)).toBe(expected)
  })

  test('is not shown, in whatever parts it arrives', () => {
    const text = 'begin secret1 middle secret22 and secret1secret22 end'
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const at = [0, ...cuts, text.length].sort((a, b) => a - b)
        const parts = at.slice(1).map((end, index) => text.slice(at[index], end))
        expect(masked(parts, ['secret1', 'secret22'])).toBe('begin [MASKED] middle [MASKED] and [MASKED][MASKED] end')
      }),
    )
  })

  test('is masked by the prefix of a token', () => {
    expect(masked(['a glpa', 't-abc', 'DEF_1 b glpat-'], [], ['glpat-'])).toBe('a glpat-[MASKED] b glpat-')
    expect(masked([`glpat-${'x'.repeat(5000)} end`], [], ['glpat-'])).toBe('glpat-[MASKED] end')
  })

  test('is held back no longer than until it can be none', () => {
    const masker = new Masker(['secret1'], ['glpat-'])
    expect(masker.push(Buffer.from('a sec')).toString()).toBe('a ')
    expect(masker.push(Buffer.from('ond')).toString()).toBe('second')
  })
})
