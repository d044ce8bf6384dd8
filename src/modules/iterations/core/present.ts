import { dayOf, forms, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { IterationRow } from '../tables.ts'

/** An iteration of a group (contract 17). */
export const Iteration = Type.Object(
  {
    id: forms.id,
    iid: forms.id,
    sequence: Type.Integer({ description: 'The position in the cadence, from 1.' }),
    group_id: forms.id,
    title: forms.nullableString,
    description: forms.nullableString,
    state: Type.Integer({ enum: [1, 2, 3], description: '1 upcoming, 2 current, 3 closed.' }),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    start_date: forms.day,
    due_date: forms.day,
    web_url: Type.String(),
  },
  { title: 'Iteration' },
)
export type PresentedIteration = Static<typeof Iteration>

/** The state of an iteration on a day: 1 upcoming, 2 current, 3 closed (contract 17, "Rules"). */
export function iterationState({ start_date, due_date }: Pick<IterationRow, 'start_date' | 'due_date'>, today: string) {
  if (today < start_date) return 1
  return today > due_date ? 3 : 2
}

/** An iteration on the day of the clock. */
export function presentIteration(
  { externalUrl, clock }: Pick<Platform, 'externalUrl' | 'clock'>,
  row: IterationRow,
): PresentedIteration {
  const { id, iid, sequence, namespace_id, title, description, created_at, updated_at, start_date, due_date } = row
  return {
    ...{ id, iid, sequence, group_id: namespace_id, title, description },
    state: iterationState(row, dayOf(clock.now())),
    ...{ created_at, updated_at, start_date, due_date },
    web_url: `${externalUrl}/groups/${row.group_path}/-/iterations/${id}`,
  }
}
