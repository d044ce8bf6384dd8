import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayAfter } from '../../../api/index.ts'
import { nextStart, type Window, windowsFrom } from './windows.ts'

function take(from: string | null, weeks: number, count: number): Window[] {
  const taken: Window[] = []
  for (const window of windowsFrom(from, weeks)) {
    if (taken.push(window) === count) break
  }
  return taken
}
const dayPlus = (day: string, days: number) => dayAfter(new Date(`${day}T00:00:00Z`), days)

describe('the windows of a cadence', () => {
  test('are back to back, and have whole weeks', () => {
    expect(take('2026-02-23', 1, 2)).toEqual([
      { start_date: '2026-02-23', due_date: '2026-03-01' },
      { start_date: '2026-03-02', due_date: '2026-03-08' },
    ])
    expect(take('2024-02-26', 4, 1)).toEqual([{ start_date: '2024-02-26', due_date: '2024-03-24' }])
  })

  test.each([
    ['in the future', '2026-03-10', null, '2026-03-10'],
    ['today', '2026-03-04', null, '2026-03-04'],
    ['in the running window', '2026-02-26', null, '2026-02-26'],
    ['weeks ago', '2026-01-01', null, '2026-02-26'],
    ['after the last one', '2026-01-01', '2026-03-20', '2026-03-21'],
    ['after a last one that ended yesterday', '2026-01-01', '2026-03-03', '2026-03-04'],
    ['after a last one that ended long ago', '2026-01-01', '2025-01-07', '2026-03-04'],
  ])('begin %s', (_, firstDay, lastDay, expected) => {
    expect(nextStart(firstDay, 1, lastDay, '2026-03-04')).toBe(expected)
  })

  test('end with the calendar', () => {
    expect(take('9999-12-20', 1, 5)).toEqual([{ start_date: '9999-12-20', due_date: '9999-12-26' }])
    expect(take('9999-12-31', 4, 5)).toEqual([])
    expect(nextStart('2026-01-01', 1, '9999-12-31', '2026-01-01')).toBeNull()
    expect(take(null, 1, 5)).toEqual([])
    expect(nextStart('0001-01-01', 1, null, '2026-03-04')).toBe('2026-03-02')
  })

  test('contain the current day, or begin later, in the rhythm of the first day', () => {
    const dayNumber = fc.integer({ min: 0, max: 20_000 })
    fc.assert(
      fc.property(dayNumber, dayNumber, fc.integer({ min: 1, max: 4 }), (first, current, weeks) => {
        const [firstDay, today] = [dayPlus('2000-01-01', first), dayPlus('2000-01-01', current)]
        const [window] = take(nextStart(firstDay, weeks, null, today), weeks, 1)
        if (!window) throw new Error('no window')
        expect(window.due_date >= today && window.start_date >= firstDay).toBe(true)
        expect(window.start_date <= today || window.start_date === firstDay).toBe(true)
        const distance = (Date.parse(window.start_date) - Date.parse(firstDay)) / 86_400_000
        expect(distance % (weeks * 7)).toBe(0)
        expect(window.due_date).toBe(dayPlus(window.start_date, weeks * 7 - 1))
      }),
    )
  })
})
