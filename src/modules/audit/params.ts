import { type ParamValues, t } from '../../api/index.ts'
import { entityTypes } from './present.ts'

export const eventFilter = {
  created_after: t.datetime({ description: 'Events of this time and later ones.' }),
  created_before: t.datetime({ description: 'Events of this time and earlier ones.' }),
}
export type EventFilter = ParamValues<typeof eventFilter>

export const instanceFilter = {
  entity_type: t.oneOf(Object.values(entityTypes), { description: 'What the events are about.' }),
  entity_id: t.integer({ description: 'Needs `entity_type`; 1 for the instance.' }),
  ...eventFilter,
}
export type InstanceFilter = ParamValues<typeof instanceFilter>
