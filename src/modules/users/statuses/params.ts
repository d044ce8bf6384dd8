import { type ParamValues, t } from '../../../api/index.ts'
import { availabilities } from '../tables.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How long a status may be shown, by the words of the parameter. */
export const periodsMs = {
  '30_minutes': hourMs / 2,
  '3_hours': 3 * hourMs,
  '8_hours': 8 * hourMs,
  '1_day': dayMs,
  '3_days': 3 * dayMs,
  '7_days': 7 * dayMs,
  '30_days': 30 * dayMs,
} as const

export const statusParams = {
  emoji: t.string({ description: 'The name of an emoji; `speech_balloon` by default.' }),
  message: t.string({ description: 'At most 100 characters.' }),
  availability: t.oneOf(availabilities),
  clear_status_after: t.oneOf(Object.keys(periodsMs) as (keyof typeof periodsMs)[]),
}
export type StatusParams = ParamValues<typeof statusParams>
