import { bounds, itemValues, listValues, numberOf, type Values } from './fields.ts'

/** A condition on the weekday. */
export type WeekdayTest =
  | { kind: 'any'; day: number }
  /** The nth of the month; -1 is the last. */
  | { kind: 'nth'; day: number; nth: number }
  /** In every `divisor`th week. */
  | { kind: 'modulo'; day: number; divisor: number; rest: number }

/** A parsed expression (contract 04, "Cron grammar"). */
export type Cron = {
  minutes: Values
  hours: Values
  /** Whether both passes count when a clock is set back. */
  hasAnyHour: boolean
  /** Negative values count from the end of the month. Null: any. */
  monthDays: Values | null
  months: Values
  /** Null: any. */
  weekdays: readonly WeekdayTest[] | null
  /** Whether both conditions on the day must hold; otherwise one of them is enough. */
  needsBothDays: boolean
}

const shortcuts: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@noon': '0 12 * * *',
  '@hourly': '0 * * * *',
}

const longest = 255

/** Days of the month: numbers, `L`, and negative numbers. */
function monthDaysOf(field: string): Values | null {
  const items = field.split(',').map((item) => {
    if (/^(l|last)$/i.test(item)) return [-1]
    const [, fromEnd] = /^-(\d{1,2})$/.exec(item) ?? []
    if (fromEnd === undefined) return itemValues(item, bounds.monthDay)
    const day = numberOf(fromEnd, bounds.monthDay)
    return day === null ? null : [-day]
  })
  return items.includes(null) ? null : (items as number[][]).flat()
}

function nthOf(day: number, text: string): WeekdayTest | null {
  const nth = /^(l|last)$/i.test(text) ? -1 : /^-?\d$/.test(text) ? Number(text) : Number.NaN
  return Math.abs(nth) >= 1 && Math.abs(nth) <= 5 ? { kind: 'nth', day, nth } : null
}

function weekdaysOf(field: string): WeekdayTest[] | null {
  const items = field.split(',').map((item): (WeekdayTest | null)[] => {
    const [, name = '', mark, rest = ''] = /^(\w+)([#%])(.+)$/.exec(item) ?? []
    if (mark === undefined)
      return itemValues(item, bounds.weekday)?.map((day) => ({ kind: 'any', day: day % 7 })) ?? [null]
    const day = numberOf(name, bounds.weekday)
    if (day === null) return [null]
    if (mark === '#') return [nthOf(day % 7, rest)]
    const [, divisor, shift = '0'] = /^(\d{1,3})(?:\+(\d{1,3}))?$/.exec(rest) ?? []
    if (!Number(divisor)) return [null]
    return [{ kind: 'modulo', day: day % 7, divisor: Number(divisor), rest: Number(shift) % Number(divisor) }]
  })
  const all = items.flat()
  return all.includes(null) ? null : (all as WeekdayTest[])
}

/** @returns null when the text is not an expression. That a date is possible is not checked. */
export function parseFields(text: string): Cron | null {
  const trimmed = text.trim()
  if (trimmed.length > longest) return null
  const name = trimmed.toLowerCase()
  const fields = (Object.hasOwn(shortcuts, name) ? (shortcuts[name] ?? '') : trimmed).split(/[ \t]+/)
  if (fields.length !== 5) return null
  const [minute = '', hour = '', monthDay = '', month = '', weekday = ''] = fields
  const needsBothDays = monthDay.endsWith('&') || weekday.endsWith('&')
  const [dayField, weekdayField] = [monthDay.replace(/&$/, ''), weekday.replace(/&$/, '')]
  const minutes = listValues(minute, bounds.minute)
  const hours = listValues(hour, bounds.hour)
  const months = listValues(month, bounds.month)
  const monthDays = dayField === '*' ? null : monthDaysOf(dayField)
  const weekdays = weekdayField === '*' ? null : weekdaysOf(weekdayField)
  if (!minutes || !hours || !months) return null
  if ((dayField !== '*' && !monthDays) || (weekdayField !== '*' && !weekdays)) return null
  return { minutes, hours, hasAnyHour: hour.includes('*'), monthDays, months, weekdays, needsBothDays }
}
