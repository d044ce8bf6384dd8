import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDuration } from './index.ts'

const table: [seconds: number, words: string[]][] = [
  [0.001, ['ms', 'msec', 'millisecond', 'milliseconds']],
  [1, ['s', 'sec', 'secs', 'second', 'seconds']],
  [60, ['m', 'min', 'mins', 'minute', 'minutes']],
  [3600, ['h', 'hr', 'hrs', 'hour', 'hours']],
  [86_400, ['d', 'dy', 'day', 'days']],
  [604_800, ['w', 'wk', 'wks', 'week', 'weeks']],
  [2_592_000, ['mo', 'mos', 'month', 'months']],
  [31_557_600, ['y', 'yr', 'yrs', 'year', 'years']],
]
const units = table.flatMap(([seconds, words]) => words.map((word) => ({ word, seconds })))

const number = fc.oneof(
  fc.nat({ max: 10_000 }).map(String),
  fc.tuple(fc.nat({ max: 999 }), fc.nat({ max: 999 })).map(([whole, part]) => `${whole}.${part}`),
)
const written = fc
  .tuple(fc.option(number), fc.constantFrom('', ' ', '  '), fc.constantFrom(...units), fc.boolean())
  .map(([count, blank, { word, seconds }, isUpper]) => ({
    text: `${count === null ? '' : count + blank}${isUpper ? word.toUpperCase() : word}`,
    seconds: Number(count ?? 1) * seconds,
  }))
const separators = fc.constantFrom(' ', ', ', ' and ', ' with ', ' plus ', ', and ', ' , ')

describe('a duration', () => {
  test.each(units)('has the unit $word', ({ word, seconds }) => {
    expect(parseDuration(word)).toBe(seconds)
    expect(parseDuration(`3${word}`)).toBe(3 * seconds)
  })

  test('is the sum of its pairs, however they are separated', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(written, separators), { minLength: 1, maxLength: 6 }), (pairs) => {
        const text = pairs.map(([{ text }, between], index) => (index === 0 ? text : between + text)).join('')
        const sum = pairs.reduce((total, [{ seconds }]) => total + seconds, 0)
        expect(parseDuration(text)).toBe(sum > 0 ? sum : null)
      }),
    )
  })

  test.each([
    ['90', 90],
    ['0.5', 0.5],
    ['1:30:00', 5400],
    ['100:00:01', 360_001],
    ['1h30m', 5400],
    ['1.5 days', 129_600],
    ['month', 2_592_000],
    ['week', 604_800],
    ['  1 day\tand\n12 hours ', 129_600],
    ['1 MONTH', 2_592_000],
  ])('%j is %d seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })

  test.each([
    '',
    ' ',
    '0',
    '0d',
    '-1d',
    '+1d',
    '1 fortnight',
    '1 day 2',
    'and 1 day',
    '1 dayand 2 hours',
    '1.d',
    '.5h',
    '1e3s',
    '1,5h',
    '١d',
    '1:60:00',
    '1:0:0',
    '1:00',
    'constructor',
    '__proto__',
    '１d',
    '1d;',
    '0x10',
    'Infinity',
    'NaN',
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toBeNull()
  })

  test('never throws, and is finite and positive', () => {
    const pieces = fc.constantFrom('1', '.', ' ', ':', 'd', 'and', ',', 'h', '99', 'mo', '-', 'é')
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const seconds = parseDuration(text)
        expect(seconds === null || (Number.isFinite(seconds) && seconds > 0)).toBe(true)
      }),
    )
    expect(parseDuration(`${'9'.repeat(400)}y`)).toBe(Number.MAX_VALUE)
    expect(parseDuration(`${'9'.repeat(1_000_000)}`)).toBe(Number.MAX_VALUE)
    expect(parseDuration(' '.repeat(1_000_000))).toBeNull()
  })
})
