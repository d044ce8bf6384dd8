import { dayAfter } from '../../../api/index.ts'

/** The first and the last day of an iteration. */
export type Window = { start_date: string; due_date: string }

const dayMs = 86_400_000
const lastOfCalendar = '9999-12-31'

const momentOf = (day: string) => new Date(`${day}T00:00:00Z`)
const daysBetween = (from: string, to: string) => (momentOf(to).getTime() - momentOf(from).getTime()) / dayMs
const plus = (day: string, days: number) => dayAfter(momentOf(day), days)

/**
 * The first day of the next window of a cadence: that after the last one, else the first day of the cadence. Windows that
 * would have passed already are left out.
 * @param lastDay of the last window; null when there is none
 * @returns null at the end of the calendar
 */
export function nextStart(firstDay: string, weeks: number, lastDay: string | null, today: string): string | null {
  if (lastDay !== null && lastDay >= lastOfCalendar) return null
  const start = lastDay === null ? firstDay : plus(lastDay, 1)
  const passed = Math.max(0, Math.floor(daysBetween(start, today) / (weeks * 7)))
  return plus(start, passed * weeks * 7)
}

/** Windows back to back, without end; they stop at the end of the calendar. */
export function* windowsFrom(firstDay: string | null, weeks: number): Generator<Window> {
  if (firstDay === null) return
  for (let start = firstDay; daysBetween(start, lastOfCalendar) >= weeks * 7; start = plus(start, weeks * 7)) {
    yield { start_date: start, due_date: plus(start, weeks * 7 - 1) }
  }
}
