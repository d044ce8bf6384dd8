import { type ParamValues, t } from '../../../api/index.ts'

const title = t.string({ description: 'At most 255 characters.' })
const description = t.nullable(t.string({ maxLength: 1_048_576, description: 'Markdown.' }))
const schedule = {
  start_date: t.clearable(t.date({ description: 'The first day of the first iteration.' })),
  duration_in_weeks: t.clearable(t.integer({ minimum: 1, maximum: 4 })),
  iterations_in_advance: t.clearable(
    t.integer({ minimum: 1, maximum: 10, description: 'The number of upcoming iterations that exist at any time.' }),
  ),
}
const flags = {
  automatic: t.boolean({ description: 'Whether iterations are created by the schedule; default true.' }),
  roll_over: t.boolean({ description: 'Whether open issues move to the next iteration; default false.' }),
  active: t.boolean({ description: 'Whether the schedule creates iterations; default true.' }),
}

export const newCadence = { title: t.required(title), description, ...schedule, ...flags }
export type NewCadence = ParamValues<typeof newCadence>

export const cadenceChanges = { title, description, ...schedule, ...flags }
export type CadenceChanges = ParamValues<typeof cadenceChanges>

export const cadenceId = { cadence_id: t.id() }
