import { type ParamValues, t } from '../../../api/index.ts'

const states = ['opened', 'upcoming', 'current', 'closed', 'all', 'started'] as const

export const iterationFilter = {
  state: t.oneOf(states, { description: '`opened` is upcoming or current; `started` is an older name of `current`.' }),
  search: t.string({ description: 'A part of what `in` names.' }),
  in: t.array(t.oneOf(['title', 'cadence_title']), { commaSeparated: true, description: 'Default `title`.' }),
  include_ancestors: t.boolean({ description: 'Whether iterations of the groups above are listed; default true.' }),
  include_descendants: t.boolean({ description: 'Whether iterations of the groups below are listed; default false.' }),
  updated_before: t.datetime(),
  updated_after: t.datetime(),
}
export type IterationFilter = ParamValues<typeof iterationFilter>

const title = t.nullable(t.string({ description: 'At most 255 characters.' }))
const description = t.nullable(t.string({ maxLength: 1_048_576, description: 'Markdown.' }))
const firstDay = t.date({ description: 'The first day.' })
const lastDay = t.date({ description: 'The last day.' })

export const newIteration = {
  start_date: t.required(firstDay),
  due_date: t.required(lastDay),
  title,
  description,
  iteration_cadence_id: t.integer({ description: 'Default: the oldest manual cadence of the group.' }),
}
export type NewIteration = ParamValues<typeof newIteration>

export const iterationChanges = { title, description, start_date: firstDay, due_date: lastDay }
export type IterationChanges = ParamValues<typeof iterationChanges>

export const iterationId = { iteration_id: t.id() }
