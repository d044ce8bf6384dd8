import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextInstant, parseCron } from './index.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const [begin, end] = [Date.parse('2020-01-01T00:00:00Z'), Date.parse('2030-01-01T00:00:00Z')]

/** Changes of an hour, half an hour and two hours, at night, at midnight and twice in the month of fasting. */
const zones = [
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'America/Santiago',
  'America/Havana',
  'Asia/Beirut',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Atlantic/Azores',
]

/** From `fromMs` on the clocks of a zone differ from UTC by `offsetMs`. */
type Period = { fromMs: number; offsetMs: number }

/** Reads the offset that the platform writes, such as `GMT+10:30`. */
function offsetReader(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return (atMs) => {
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(format.format(atMs)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs
  }
}

/** Looks at every fourth hour, and at every minute between two of them that differ. */
function periodsOf(zone: string): Period[] {
  const offsetAt = offsetReader(zone)
  const periods: Period[] = [{ fromMs: begin, offsetMs: offsetAt(begin) }]
  for (let at = begin; at < end; at += dayMs / 6) {
    const known = () => periods.at(-1)?.offsetMs
    if (offsetAt(at + dayMs / 6) === known()) continue
    for (let near = at; near <= at + dayMs / 6; near += minuteMs) {
      const offsetMs = offsetAt(near)
      if (offsetMs !== known()) periods.push({ fromMs: near, offsetMs })
    }
  }
  return periods
}

type Fields = { minute: string; hour: string; day: string; month: string; weekday: string }

/** Whether each value of a field matches. */
function tableOf(field: string, least: number, most: number): boolean[] {
  const holds = (value: number) =>
    field.split(',').some((item) => {
      const [range = '', step] = item.split('/')
      const [from = '', to = from] = range.split('-')
      const first = range === '*' ? least : Number(from)
      const last = range === '*' ? most : Number(to)
      return value >= first && value <= last && (value - first) % Number(step ?? 1) === 0
    })
  return Array.from({ length: most + 1 }, (_, value) => holds(value))
}

/** All minutes of the ten years at which the fields match the wall clock: each one of a matching day is looked at. */
function byMinutes({ minute, hour, day, month, weekday }: Fields, periods: readonly Period[]): number[] {
  const [minutes, hours] = [tableOf(minute, 0, 59), tableOf(hour, 0, 23)]
  const [days, months, weekdays] = [tableOf(day, 1, 31), tableOf(month, 1, 12), tableOf(weekday, 0, 6)]
  const isDay = (localDay: number) => {
    const date = new Date(localDay * dayMs)
    const [ofMonth, ofWeek] = [days[date.getUTCDate()], weekdays[date.getUTCDay()]]
    if (!months[date.getUTCMonth() + 1]) return false
    return day === '*' ? ofWeek : weekday === '*' ? ofMonth : ofMonth || ofWeek
  }
  const found: number[] = []
  let shownUntilMs = Number.NEGATIVE_INFINITY
  for (const [index, { fromMs, offsetMs }] of periods.entries()) {
    const untilMs = periods[index + 1]?.fromMs ?? end
    let [today, isToday]: [number, boolean | undefined] = [Number.NaN, false]
    for (let at = fromMs; at < untilMs; at += minuteMs) {
      const local = at + offsetMs
      const localDay = Math.floor(local / dayMs)
      if (localDay !== today) [today, isToday] = [localDay, isDay(localDay)]
      if (!isToday) {
        at = Math.min((localDay + 1) * dayMs - offsetMs, untilMs) - minuteMs
        continue
      }
      const ofDay = (local - localDay * dayMs) / minuteMs
      // What the clocks show again counts only for every hour.
      const isAgain = local < shownUntilMs && !hour.includes('*')
      if (minutes[ofDay % 60] && hours[Math.floor(ofDay / 60)] && !isAgain) found.push(at)
    }
    shownUntilMs = Math.max(shownUntilMs, untilMs + offsetMs)
  }
  return found
}

/** The times that follow each other, at most so many. */
function following(text: string, zone: string, fromMs: number, most: number): number[] {
  const cron = parseCron(text)
  if (!cron) throw new Error(`invalid: ${text}`)
  const found: number[] = []
  let at: number | null = fromMs
  while (found.length < most) {
    at = nextInstant(cron, zone, at)
    if (at === null || at >= end) break
    found.push(at)
  }
  return found
}

const fields = fc.record({
  minute: fc.constantFrom('0', '30', '59', '15,45', '*/20'),
  hour: fc.constantFrom('0', '1', '2', '3', '23', '0-2', '22,0', '*/12', '*'),
  day: fc.constantFrom('*', '*', '1', '25-31', '*/5'),
  month: fc.constantFrom('*', '*', '3,10', '4', '9-11'),
  weekday: fc.constantFrom('*', '*', '0', '5,6', '1-3'),
})

const tables = new Map<string, Period[]>()
const periods = (zone: string) => {
  const known = tables.get(zone) ?? periodsOf(zone)
  tables.set(zone, known)
  return known
}

test.each(zones)('in %s the times of ten years are those that every minute gives', (zone) => {
  expect(periods(zone).length).toBeGreaterThan(10)
  const start = fc.integer({ min: begin, max: end - 400 * dayMs })
  fc.assert(
    fc.property(fields, start, (given, fromMs) => {
      const { minute, hour, day, month, weekday } = given
      const text = [minute, hour, day, month, weekday].join(' ')
      const all = byMinutes(given, periods(zone))
      // After the changes of the clocks, and after a moment that is no whole minute.
      const starts = [
        fromMs,
        ...periods(zone)
          .slice(1)
          .map(({ fromMs: change }) => change - 3 * 60 * minuteMs),
      ]
      for (const after of starts) {
        const first = all.findIndex((at) => at > after)
        const expected = first === -1 ? [] : all.slice(first, first + 8)
        const found = following(text, zone, after, 8)
        expect([text, ...found.map((at) => new Date(at).toISOString())]).toEqual([
          text,
          ...expected.map((at) => new Date(at).toISOString()),
        ])
      }
    }),
    { seed: 4, numRuns: 3 },
  )
})
