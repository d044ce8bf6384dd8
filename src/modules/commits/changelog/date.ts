const months = 'January February March April May June July August September October November December'.split(' ')
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const two = (value: number) => String(value).padStart(2, '0')
const spaced = (value: number) => String(value).padStart(2, ' ')

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
}

const hour12 = (date: Date) => date.getUTCHours() % 12 || 12

/** The conversions of `strftime`, in UTC. */
const conversions: Record<string, (date: Date) => string> = {
  Y: (date) => String(date.getUTCFullYear()),
  C: (date) => two(Math.floor(date.getUTCFullYear() / 100)),
  y: (date) => two(date.getUTCFullYear() % 100),
  m: (date) => two(date.getUTCMonth() + 1),
  B: (date) => months[date.getUTCMonth()] ?? '',
  b: (date) => (months[date.getUTCMonth()] ?? '').slice(0, 3),
  h: (date) => (months[date.getUTCMonth()] ?? '').slice(0, 3),
  d: (date) => two(date.getUTCDate()),
  e: (date) => spaced(date.getUTCDate()),
  j: (date) => String(dayOfYear(date)).padStart(3, '0'),
  H: (date) => two(date.getUTCHours()),
  k: (date) => spaced(date.getUTCHours()),
  I: (date) => two(hour12(date)),
  l: (date) => spaced(hour12(date)),
  M: (date) => two(date.getUTCMinutes()),
  S: (date) => two(date.getUTCSeconds()),
  L: (date) => String(date.getUTCMilliseconds()).padStart(3, '0'),
  p: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  P: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  A: (date) => days[date.getUTCDay()] ?? '',
  a: (date) => (days[date.getUTCDay()] ?? '').slice(0, 3),
  u: (date) => String(date.getUTCDay() || 7),
  w: (date) => String(date.getUTCDay()),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  z: () => '+0000',
  Z: () => 'UTC',
  F: (date) => formatDate(date, '%Y-%m-%d'),
  D: (date) => formatDate(date, '%m/%d/%y'),
  T: (date) => formatDate(date, '%H:%M:%S'),
  R: (date) => formatDate(date, '%H:%M'),
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
}

/** Formats a date by `strftime`, in UTC, with `-` for no padding and `^` for capitals. */
export function formatDate(date: Date, format: string): string {
  return format.replace(/%([-^]?)([A-Za-z%])/g, (whole, flag: string, letter: string) => {
    const text = Object.hasOwn(conversions, letter) ? conversions[letter]?.(date) : undefined
    if (text === undefined) return whole
    if (flag === '^') return text.toUpperCase()
    return flag === '-' ? text.replace(/^[ 0]+(?=\d)/, '') : text
  })
}
