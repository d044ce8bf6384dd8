import { forms, type Static, Type } from '../../../api/index.ts'
import type { CadenceRow } from '../tables.ts'

/** A series of iterations of a group (contract 17, Iteration cadence). */
export const IterationCadence = Type.Object(
  {
    id: forms.id,
    group_id: forms.id,
    title: Type.String(),
    description: forms.nullableString,
    automatic: Type.Boolean(),
    start_date: forms.nullableDay,
    duration_in_weeks: forms.nullableInteger,
    iterations_in_advance: forms.nullableInteger,
    roll_over: Type.Boolean(),
    active: Type.Boolean(),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
  },
  { title: 'IterationCadence' },
)

export function presentCadence({ namespace_id, ...row }: CadenceRow): Static<typeof IterationCadence> {
  return { ...row, group_id: namespace_id }
}
