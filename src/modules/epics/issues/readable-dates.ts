const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const dayMs = 86_400_000

/** A day in words: `Jan 31, 2027`. @param day `YYYY-MM-DD` */
export function readableDate(day: string): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return `${months[month - 1]} ${date}, ${year}`
}

const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

const inDays = (count: number, what: string) => `<strong>${count}</strong> ${count === 1 ? 'day' : 'days'} ${what}`

/**
 * How much time is left until the due date, or has passed since the start, as HTML (contract 16, Issue,
 * `human_readable_timestamp`).
 * @param start, due, today `YYYY-MM-DD`
 */
export function remainingTime(start: string | null, due: string | null, today: string): string | null {
  if (due !== null && due < today) return '<strong>Past due</strong>'
  if (start !== null && start > today) return '<strong>Upcoming</strong>'
  if (due !== null) return inDays(daysBetween(today, due), 'remaining')
  return start === null ? null : inDays(daysBetween(start, today), 'elapsed')
}
