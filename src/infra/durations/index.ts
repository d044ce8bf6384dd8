/** Durations in words, such as `2h 30 minutes`. */

/** Seconds of each unit (contract 02 R7). */
const unitSeconds: Readonly<Record<string, number>> = Object.freeze({
  ...spelled(0.001, 'ms', 'msec', 'millisecond', 'milliseconds'),
  ...spelled(1, 's', 'sec', 'secs', 'second', 'seconds'),
  ...spelled(60, 'm', 'min', 'mins', 'minute', 'minutes'),
  ...spelled(3600, 'h', 'hr', 'hrs', 'hour', 'hours'),
  ...spelled(86_400, 'd', 'dy', 'day', 'days'),
  ...spelled(604_800, 'w', 'wk', 'wks', 'week', 'weeks'),
  ...spelled(2_592_000, 'mo', 'mos', 'month', 'months'),
  ...spelled(31_557_600, 'y', 'yr', 'yrs', 'year', 'years'),
})

function spelled(seconds: number, ...words: string[]): Record<string, number> {
  return Object.fromEntries(words.map((word) => [word, seconds]))
}

const bareNumber = /^\d+(?:\.\d+)?$/
const clockForm = /^(\d+):([0-5]\d):([0-5]\d)$/
/** A unit with an optional number before it. */
const pair = /(?:(\d+(?:\.\d+)?) *)?([a-z]+)/y
/** What may stand between two pairs. */
const separator = /[ ,]*(?:(?:and|with|plus)[ ,]+)*/y

function sumOfPairs(text: string): number | null {
  let sum = 0
  for (let position = 0; position < text.length; ) {
    pair.lastIndex = position
    const [whole = '', number = '1', unit = ''] = pair.exec(text) ?? []
    const seconds = Object.hasOwn(unitSeconds, unit) ? unitSeconds[unit] : undefined
    if (seconds === undefined) return null
    sum += Number(number) * seconds
    separator.lastIndex = position + whole.length
    position += whole.length + (separator.exec(text)?.[0].length ?? 0)
  }
  return sum
}

function sumOf(text: string): number | null {
  if (bareNumber.test(text)) return Number(text)
  const [, hours, minutes, seconds] = clockForm.exec(text) ?? []
  if (hours !== undefined) return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sumOfPairs(text)
}

/**
 * Reads a duration such as `1 month`, `2h and 30m`, `90` or `1:30:00` (contract 02 R7).
 * @returns seconds, above 0; null when the text is not a duration, or the sum is 0. Sums that a number cannot hold become
 * the largest one
 */
export function parseDuration(text: string): number | null {
  const sum = sumOf(text.trim().replace(/\s/g, ' ').toLowerCase())
  return sum !== null && sum > 0 ? Math.min(sum, Number.MAX_VALUE) : null
}
