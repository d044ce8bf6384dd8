import { type Param, type ParamValues, t } from '../../../api/index.ts'

/** Variables of one request at most. */
const mostVariables = 1000

/** The given variables; `invalid` when they are not a map of texts by key, which has an error of its own. */
type Variables = Readonly<Record<string, string>> | 'invalid'

const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000')

const variables: Param<Variables, false> = {
  schema: { type: 'object', additionalProperties: { type: 'string' }, description: 'Values by key.' },
  required: false,
  nullable: false,
  absent: [],
  emptyIsAbsent: true,
  read(given) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'invalid'
    const values = Object.values(given)
    return values.length <= mostVariables && values.every(isText) ? (given as Record<string, string>) : 'invalid'
  },
}

const description = t.string({ maxLength: 1_048_576 })
const triggerId = t.id()

export const oneTrigger = { trigger_id: triggerId }
export const newTrigger = { description: t.required(description), expires_at: t.datetime() }
export type NewTrigger = ParamValues<typeof newTrigger>
export const changedTrigger = { trigger_id: triggerId, description }

const firing = {
  id: t.required(t.string({ description: 'Id of the project, or its path with slashes sent as `%2F`.' })),
  token: t.required(t.string({ blank: false, description: 'Token of a trigger, or of a running job of the project.' })),
  variables,
}
export const fire = { ...firing, ref: t.required(t.string({ blank: false, description: 'Branch or tag.' })) }
export const fireRef = firing
export type Firing = ParamValues<typeof firing> & { ref: string }
