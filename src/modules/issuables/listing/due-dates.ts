import { dayAfter, dayOf } from '../../../api/index.ts'

/** The windows of `due_date` (contract 16, Filters). */
export const dueWords = [
  '0',
  'any',
  'today',
  'tomorrow',
  'overdue',
  'week',
  'month',
  'next_month_and_previous_two_weeks',
] as const
export type DueWord = (typeof dueWords)[number]

/** Days from and to, both included; an absent end is open. */
export type DueWindow = { from?: string; to?: string }

/**
 * The days of a window. Weeks begin on Monday.
 * @param today `YYYY-MM-DD` in UTC
 */
export function dueWindow(word: Exclude<DueWord, '0'>, today: string): DueWindow {
  const date = new Date(`${today}T00:00:00Z`)
  const day = (offset: number) => dayAfter(date, offset)
  const lastOfMonth = (months: number) =>
    dayOf(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)))
  const sinceMonday = (date.getUTCDay() + 6) % 7
  const windows: Record<typeof word, DueWindow> = {
    any: {},
    today: { from: today, to: today },
    tomorrow: { from: day(1), to: day(1) },
    overdue: { to: day(-1) },
    week: { from: day(-sinceMonday), to: day(6 - sinceMonday) },
    month: { from: `${today.slice(0, 8)}01`, to: lastOfMonth(0) },
    next_month_and_previous_two_weeks: { from: day(-14), to: lastOfMonth(1) },
  }
  return windows[word]
}
