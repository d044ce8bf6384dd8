/** Cron expressions and time zones. */
import { type Cron, parseFields, type WeekdayTest } from './parse.ts'
import { instantsOf, localTime } from './zones.ts'

export type { Cron } from './parse.ts'
export { timeZoneOf } from './zones.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Each date has come on each weekday within this time. */
const searchedDays = 41 * 366

type Day = { startMs: number; year: number; monthDay: number; month: number; weekday: number }

function dayAt(startMs: number): Day {
  const date = new Date(startMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  return { startMs, year, month, monthDay: date.getUTCDate(), weekday: date.getUTCDay() }
}

const daysOfMonth = ({ year, month }: Day) => new Date(Date.UTC(year, month, 0)).getUTCDate()

/** Weeks begin on Monday; that of 1970-01-01 is week 0. */
const weekOf = ({ startMs }: Day) => Math.floor((startMs / dayMs + 3) / 7)

function matchesWeekday(test: WeekdayTest, day: Day): boolean {
  if (test.day !== day.weekday) return false
  if (test.kind === 'modulo') return weekOf(day) % test.divisor === test.rest
  if (test.kind === 'any') return true
  const fromStart = Math.ceil(day.monthDay / 7)
  const fromEnd = -Math.ceil((daysOfMonth(day) - day.monthDay + 1) / 7)
  return test.nth === fromStart || test.nth === fromEnd
}

function matchesDay({ months, monthDays, weekdays, needsBothDays }: Cron, day: Day): boolean {
  if (!months.includes(day.month)) return false
  const ofMonth = monthDays?.some(
    (one) => one === day.monthDay || (one < 0 && daysOfMonth(day) + one + 1 === day.monthDay),
  )
  const ofWeek = weekdays?.some((test) => matchesWeekday(test, day))
  if (ofMonth === undefined || ofWeek === undefined) return ofMonth ?? ofWeek ?? true
  return needsBothDays ? ofMonth && ofWeek : ofMonth || ofWeek
}

/** Whether there is a date that matches. */
function isPossible(cron: Cron): boolean {
  for (let index = 0; index < searchedDays; index += 1) if (matchesDay(cron, dayAt(index * dayMs))) return true
  return false
}

/** Parses an expression. @returns null when its syntax is invalid, or no date matches it */
export function parseCron(text: string): Cron | null {
  const cron = parseFields(text)
  return cron && isPossible(cron) ? cron : null
}

/** The times of a day that match, in their order, as if the wall clock were UTC; without hours that end before a time. */
function* timesOf({ hours, minutes }: Cron, { startMs }: Day, fromMs = startMs): Generator<number> {
  for (const hour of hours) {
    if (startMs + (hour + 1) * 60 * minuteMs <= fromMs) continue
    for (const minute of minutes) yield startMs + (hour * 60 + minute) * minuteMs
  }
}

/** The difference of a zone's clocks to UTC if it is the same from the day before to the day after; null otherwise. */
function steadyOffset(zone: string, { startMs }: Day): number | null {
  const [before, after] = [startMs - dayMs, startMs + 2 * dayMs]
  const offset = localTime(zone, before) - before
  return localTime(zone, after) - after === offset ? offset : null
}

/** The first instant of a day after another; null when there is none. */
function firstOnDay(cron: Cron, zone: string, day: Day, afterMs: number): number | null {
  const offset = steadyOffset(zone, day)
  if (offset !== null) {
    for (const local of timesOf(cron, day, afterMs + offset)) if (local - offset > afterMs) return local - offset
    return null
  }
  const instants = [...timesOf(cron, day)].flatMap((local) => {
    const found = instantsOf(zone, local)
    return cron.hasAnyHour ? found : found.slice(0, 1)
  })
  const later = instants.filter((instant) => instant > afterMs)
  return later.length === 0 ? null : Math.min(...later)
}

/**
 * The first instant after another at which an expression matches the wall clock of a zone. Times that are skipped when a
 * clock is set forward do not match; of those that are repeated only the first counts, unless the hour is `*` (contract 04,
 * Scheduling).
 * @param afterMs milliseconds of UTC
 * @param untilMs milliseconds of UTC after which the search may end
 * @returns null when no date within forty years, or until the end of the search, matches
 */
export function nextInstant(
  cron: Cron,
  zone: string,
  afterMs: number,
  untilMs = Number.POSITIVE_INFINITY,
): number | null {
  const local = localTime(zone, afterMs)
  const today = local - (((local % dayMs) + dayMs) % dayMs)
  for (let index = 0; index < searchedDays; index += 1) {
    const day = dayAt(today + index * dayMs)
    // Clocks differ from UTC by less than a day.
    if (day.startMs - dayMs > untilMs) return null
    if (!matchesDay(cron, day)) continue
    const found = firstOnDay(cron, zone, day, afterMs)
    if (found === null) continue
    // A clock that is set back over midnight repeats times of this day after times of the next.
    const following = dayAt(day.startMs + dayMs)
    const other = matchesDay(cron, following) ? firstOnDay(cron, zone, following, afterMs) : null
    return other === null ? found : Math.min(found, other)
  }
  return null
}

const hourMs = 60 * minuteMs
/** Ever longer times before a moment, in which the latest match is looked for. */
const lookBacksMs = [hourMs, dayMs, 32 * dayMs, 366 * dayMs, 5 * 366 * dayMs, searchedDays * dayMs]

/**
 * The latest instant up to another at which an expression matches the wall clock of a zone, by the rules of `nextInstant`.
 * @param untilMs milliseconds of UTC
 * @returns null when no date within forty years matches
 */
export function latestInstant(cron: Cron, zone: string, untilMs: number): number | null {
  let latest: number | null = null
  // Nothing matches after `end`, so that each search looks at days that no other one has seen.
  let end = untilMs
  const firstAfter = (afterMs: number) => {
    const found = nextInstant(cron, zone, afterMs, end)
    return found !== null && found <= end ? found : null
  }
  for (const lookBackMs of lookBacksMs) {
    latest = firstAfter(untilMs - lookBackMs)
    if (latest !== null) break
    end = untilMs - lookBackMs
  }
  if (latest === null) return null
  while (end > latest) {
    const middle = Math.floor((latest + end) / 2)
    const later = firstAfter(middle)
    if (later === null) end = middle
    else latest = later
  }
  return latest
}
