import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayAfter, dayOf, parseDate, parseDateTime } from './dates.ts'

describe('a date-time', () => {
  test.each([
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02T03:04', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04Z', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05.678999999Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
    ['2026-01-02T03:04:05+0100', '2026-01-02T02:04:05.000Z'],
    ['2026-01-02T03:04:05-05:30', '2026-01-02T08:34:05.000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['0099-12-31', '0099-12-31T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s', (text, expected) => {
    expect(parseDateTime(text)).toBe(expected)
  })

  test.each([
    '',
    'today',
    '2026',
    '2026-01',
    '2026-1-2',
    '26-01-02',
    '2026/01/02',
    '20260102',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-01-32',
    '2026-04-31',
    '2023-02-29',
    '1900-02-29',
    '2026-01-02T',
    '2026-01-02T24:00',
    '2026-01-02T03',
    '2026-01-02T03:60',
    '2026-01-02T03:04:61',
    '2026-01-02T03:04:05.',
    '2026-01-02T03:04:05.1234567890',
    '2026-01-02T03:04:05+24:00',
    '2026-01-02T03:04:05+01:60',
    '2026-01-02T03:04:05+1',
    '2026-01-02T03:04:05 01:00',
    '2026-01-02T03:04:05Europe/Berlin',
    '2026-01-02T03:04:05Z\n',
    '2026-01-02\u0000',
    '٢٠٢٦-٠١-٠٢',
    '+002026-01-02T00:00:00Z',
    '-000001-01-01',
    '1767323045',
    `2026-01-02T03:04:05.${'0'.repeat(100_000)}`,
  ])('is refused: %s', (text) => {
    expect(parseDateTime(text)).toBeNull()
  })

  test('the year 0 is no year, and an offset does not lead out of the four digits', () => {
    // Databases and the fixed form of output have no place for these.
    expect(parseDateTime('0000-06-01')).toBeNull()
    expect(parseDateTime('9999-12-31T23:59:59-01:00')).toBeNull()
    expect(parseDateTime('0001-01-01T00:00:00+01:00')).toBeNull()
    expect(parseDate('0000-06-01')).toBeNull()
  })

  test('any moment is read back as it was written, with any offset', () => {
    const moments = fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
    const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
    fc.assert(
      fc.property(moments, offsets, (moment, offset) => {
        const two = (number: number) => String(number).padStart(2, '0')
        const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1)
        const minutes = Math.abs(offset)
        const text = `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
        expect(parseDateTime(text)).toBe(moment.toISOString())
      }),
    )
  })
})

describe('a date', () => {
  test('is a day of the calendar', () => {
    expect(parseDate('2024-02-29')).toBe('2024-02-29')
    for (const text of ['2023-02-29', '2026-01-02T00:00:00Z', '2026-1-2', '', ' 2026-01-02', '2026-01-02\n']) {
      expect([text, parseDate(text)]).toEqual([text, null])
    }
  })

  test('of a moment is the one in UTC', () => {
    const moment = new Date('2026-01-31T23:59:59.999Z')
    expect(dayOf(moment)).toBe('2026-01-31')
    expect([dayAfter(moment, 1), dayAfter(moment, 0), dayAfter(moment, -31)]).toEqual([
      '2026-02-01',
      '2026-01-31',
      '2025-12-31',
    ])
  })
})
