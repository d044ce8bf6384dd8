import { forms, type Static, Type } from '../../../api/index.ts'
import type { Times } from './store.ts'

/** The time that was estimated and spent (contract 16, TimeStats). */
export const TimeStats = Type.Object(
  {
    time_estimate: Type.Integer({ description: 'Seconds.' }),
    total_time_spent: Type.Integer({ description: 'Seconds.' }),
    human_time_estimate: forms.nullableString,
    human_total_time_spent: forms.nullableString,
  },
  { title: 'TimeStats' },
)
export type PresentedTimes = Static<typeof TimeStats>

/** Seconds of working time: a day has eight hours, a week five days, a month four weeks. */
const units = [
  ['mo', 576_000],
  ['w', 144_000],
  ['d', 28_800],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** Seconds as people write them, such as `3h 30m`; null for 0. */
export function humanTime(seconds: number): string | null {
  const parts: string[] = []
  let rest = Math.abs(seconds)
  for (const [unit, size] of units) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)}${unit}`)
    rest %= size
  }
  return parts.length === 0 ? null : `${seconds < 0 ? '-' : ''}${parts.join(' ')}`
}

/** @param times of an issuable; undefined when it has none */
export function presentTimes(times: Times | undefined): PresentedTimes {
  const { time_estimate, total_time_spent } = times ?? { time_estimate: 0, total_time_spent: 0 }
  return {
    time_estimate,
    total_time_spent,
    human_time_estimate: humanTime(time_estimate),
    human_total_time_spent: humanTime(total_time_spent),
  }
}
