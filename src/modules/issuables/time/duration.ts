const hour = 3600
/** Seconds of working time (contract 16, TimeStats): a day has 8 hours, a week 5 days, a month 4 weeks. */
const seconds = { mo: 160 * hour, w: 40 * hour, d: 8 * hour, h: hour, m: 60, s: 1 } as const
type Unit = keyof typeof seconds

const pair = /\s*(\d{1,9}(?:\.\d{1,9})?)\s*(mo|[wdhms])(?=[\s\d]|$)/iy

/** Longer times are none: their sums would leave the range of exact numbers. */
const longest = 1e12

/**
 * Reads working time such as `3h30m`, `1w 2d` or `-1h` (contract 16, "Operations: time tracking").
 * @returns seconds; null for other texts
 */
export function parseWorkingTime(text: string): number | null {
  const given = text.trim().slice(0, 256)
  const isNegative = given.startsWith('-')
  const rest = isNegative ? given.slice(1) : given
  let sum = 0
  let position = 0
  while (position < rest.length) {
    pair.lastIndex = position
    const [whole, count, unit] = pair.exec(rest) ?? []
    if (whole === undefined) return null
    sum += Number(count) * seconds[unit?.toLowerCase() as Unit]
    position += whole.length
  }
  if (position === 0 || sum > longest) return null
  return isNegative ? -Math.round(sum) : Math.round(sum)
}
