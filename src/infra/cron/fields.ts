/** The values of a field, sorted. */
export type Values = readonly number[]

type Names = Readonly<Record<string, number>>

const months: Names = Object.fromEntries(
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map((name, index) => [
    name,
    index + 1,
  ]),
)
const weekdays: Names = Object.fromEntries(
  ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].map((name, index) => [name, index]),
)

type Bounds = { least: number; most: number; names?: Names }

/** Day 31 counted from the end is -31. */
export const bounds = {
  minute: { least: 0, most: 59 },
  hour: { least: 0, most: 23 },
  monthDay: { least: 1, most: 31 },
  month: { least: 1, most: 12, names: months },
  weekday: { least: 0, most: 7, names: weekdays },
} as const satisfies Record<string, Bounds>

/** A number or name of a field; null when it is neither, or out of range. */
export function numberOf(text: string, { least, most, names = {} }: Bounds): number | null {
  const name = text.toLowerCase()
  if (Object.hasOwn(names, name)) return names[name] ?? null
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= most ? value : null
}

/** From one value to another in steps; a range that ends before it begins goes on at the start. */
function range(from: number, to: number, step: number, { least, most }: Bounds): number[] {
  const size = most - least + 1
  const count = ((to - from + size) % size) + 1
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => least + ((from - least + index * step) % size))
}

/** The values of one item of a list: `*`, `5`, `1-5`, with `/2`; null when it is not one. */
export function itemValues(item: string, of: Bounds): number[] | null {
  const [, base = '', stepText] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(item) ?? []
  const step = stepText === undefined ? 1 : Number(stepText)
  if (base === '' || step === 0) return null
  // Sunday has two numbers, of which a range of all days takes one.
  const most = of.most === bounds.weekday.most ? 6 : of.most
  if (base === '*') return range(of.least, most, step, { ...of, most })
  const [first = '', last, ...more] = base.split('-')
  const from = numberOf(first, of)
  if (from === null || more.length > 0) return null
  if (last === undefined) return stepText === undefined ? [from] : range(from, most, step, { ...of, most })
  const to = numberOf(last, of)
  return to === null ? null : range(from, to, step, from <= to ? of : { ...of, most })
}

/** The values of a field that is a list of items; null when one of them is invalid. */
export function listValues(field: string, of: Bounds): Values | null {
  const items = field.split(',').map((item) => itemValues(item, of))
  if (items.includes(null)) return null
  return [...new Set((items as number[][]).flat())].sort((a, b) => a - b)
}
