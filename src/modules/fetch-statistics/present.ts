import { forms, type Static, Type } from '../../api/index.ts'
import type { DayOfFetches } from './store.ts'

const FetchesOfDay = Type.Object({ count: Type.Integer(), date: forms.day }, { title: 'FetchesOfDay' })

/** How often a project was fetched (contract 21, x.projects_statistics). */
export const FetchStatistics = Type.Object(
  { fetches: Type.Object({ total: Type.Integer(), days: Type.Array(FetchesOfDay) }) },
  { title: 'FetchStatistics' },
)

export function presentFetches(rows: readonly DayOfFetches[]): Static<typeof FetchStatistics> {
  const total = rows.reduce((sum, { number }) => sum + number, 0)
  return { fetches: { total, days: rows.map(({ day, number }) => ({ count: number, date: day })) } }
}
