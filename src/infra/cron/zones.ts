import { longNames } from './zone-names.ts'

const name = /^[A-Za-z][A-Za-z0-9_+/-]*$/
const minuteMs = 60_000

/** @returns the IANA name of a time zone; null when it is unknown (contract 04, Time zones) */
export function timeZoneOf(text: string): string | null {
  const zone = longNames.get(text) ?? text
  return name.test(zone) && formatOf(zone) ? zone : null
}

const formats = new Map<string, Intl.DateTimeFormat | null>()

/** Creating a format takes much longer than using it, and there are few zones. */
function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const created = createFormat(zone)
  if (created) formats.set(zone, created)
  return created
}

function createFormat(timeZone: string): Intl.DateTimeFormat | null {
  const numeric = 'numeric'
  const parts = {
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts })
  } catch {
    return null
  }
}

/**
 * The wall-clock time in a zone, as if it were UTC, in milliseconds.
 * @param zone a name that `timeZoneOf` has returned
 */
export function localTime(zone: string, instantMs: number): number {
  const format = formatOf(zone)
  if (!format) throw new RangeError(`unknown time zone ${zone}`)
  const found: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(instantMs)) found[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * The instants at which the clocks of a zone show a time: none when it is skipped, two when it is repeated.
 * @param localMs the wall-clock time as if it were UTC, without seconds
 */
export function instantsOf(zone: string, localMs: number): number[] {
  const dayMs = 24 * 60 * minuteMs
  const offsets = [localMs - dayMs, localMs + dayMs].map((near) => localTime(zone, near) - near)
  const candidates = [...new Set(offsets)].map((offset) => localMs - offset)
  return candidates.filter((instant) => localTime(zone, instant) === localMs).sort((a, b) => a - b)
}
