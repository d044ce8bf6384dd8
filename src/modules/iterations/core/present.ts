import { computed, dayOf, forms, from, object, of, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { IterationRow } from '../tables.ts'

/** The state of an iteration on a day: 1 upcoming, 2 current, 3 closed (contract 17, "Rules"). */
export function iterationState({ start_date, due_date }: Pick<IterationRow, 'start_date' | 'due_date'>, today: string) {
  if (today < start_date) return 1
  return today > due_date ? 3 : 2
}

/** An iteration of a group, on the day of the clock (contract 17). */
export const Iteration = object('Iteration', of<IterationRow, Pick<Platform, 'externalUrl' | 'clock'>>(), {
  id: forms.id,
  iid: forms.id,
  sequence: Type.Integer({ description: 'The position in the cadence, from 1.' }),
  group_id: from(forms.id, 'namespace_id'),
  title: forms.nullableString,
  description: forms.nullableString,
  state: computed(
    Type.Integer({ enum: [1, 2, 3], description: '1 upcoming, 2 current, 3 closed.' }),
    (row, { clock }) => iterationState(row, dayOf(clock.now())),
  ),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  start_date: forms.day,
  due_date: forms.day,
  web_url: computed(
    Type.String(),
    ({ group_path, id }, { externalUrl }) => `${externalUrl}/groups/${group_path}/-/iterations/${id}`,
  ),
})
export type PresentedIteration = Static<typeof Iteration>
