const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
const dateTimePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:\s?(?:[Zz]|([+-])(\d{2}):?(\d{2})))?)?$/

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  const lastDay = new Date(Date.UTC(2000, month, 0)).getUTCDate()
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return day <= (month === 2 && !leap ? 28 : lastDay)
}

/**
 * Reads a date `YYYY-MM-DD` (contract 00, "Parameters").
 * @returns the same text, or null when the calendar has no such day
 */
export function parseDate(text: string): string | null {
  const parts = datePattern.exec(text)
  if (!parts) return null
  return isCalendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3])) ? text : null
}

/**
 * Reads an ISO 8601 date or date-time (contract 00). Without an offset it is UTC; a date alone is midnight.
 * @returns ISO text in UTC with milliseconds, or null when the text is invalid
 */
export function parseDateTime(written: string): string | null {
  const parts = dateTimePattern.exec(written)
  if (!parts) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', sign, offsetHour, offsetMinute] =
    parts
  const numbers = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [y, mo, d, h, mi, s] = numbers
  if (!isCalendarDay(y, mo, d) || h > 23 || mi > 59 || s > 60) return null
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return null
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3))
  const utc = new Date(0)
  utc.setUTCFullYear(y, mo - 1, d)
  utc.setUTCHours(h, mi, s, milliseconds)
  const offsetMinutes = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * (sign === '-' ? -1 : 1)
  const text = new Date(utc.getTime() - offsetMinutes * 60_000).toISOString()
  // An offset may move the time out of the four-digit years.
  return text.length === 24 && !text.startsWith('0000') ? text : null
}

const dayMs = 86_400_000

// Most callers want the current day: formatting it for each request is measurable.
let lastDay = { number: Number.NaN, text: '' }

/** The day of a moment in UTC, `YYYY-MM-DD`. */
export function dayOf(moment: Date): string {
  const number = Math.floor(moment.getTime() / dayMs)
  if (number !== lastDay.number) lastDay = { number, text: moment.toISOString().slice(0, 10) }
  return lastDay.text
}

/** The day `days` after the day of `moment`. */
export function dayAfter(moment: Date, days: number): string {
  return dayOf(new Date(moment.getTime() + days * dayMs))
}
