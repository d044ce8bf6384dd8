import { describe, expect, test } from 'vitest'
import { parseColor, textColorOf } from './colors.ts'
import { namedColors } from './css-colors.ts'

describe('a colour', () => {
  test.each([
    ['#a1B2c3', '#a1B2c3'],
    ['#aBc', '#aaBBcc'],
    [' red ', '#FF0000'],
    ['RebeccaPurple', '#663399'],
    ['', null],
    ['#', null],
    ['a1b2c3', null],
    ['#a1b2c3d4', null],
    ['#12', null],
    ['transparent', null],
    ['__proto__', null],
  ])('%j is read as %j', (text, color) => {
    expect(parseColor(text)).toBe(color)
  })

  test('has one of the names of CSS, which all have six digits', () => {
    expect(namedColors.size).toBe(148)
    for (const [name, digits] of namedColors) {
      expect(name).toMatch(/^[a-z]+$/)
      expect(digits).toMatch(/^[0-9A-F]{6}$/)
    }
  })

  test('has a readable text colour', () => {
    expect(['#000000', '#6699cc', '#FF0000', '#A6A6A8'].map(textColorOf)).toEqual(Array(4).fill('#FFFFFF'))
    expect(['#FFFFFF', '#ffff00', '#A7A7A7'].map(textColorOf)).toEqual(Array(3).fill('#1F1E24'))
  })
})
