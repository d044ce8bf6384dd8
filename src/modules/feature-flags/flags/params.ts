import { type Param, type ParamValues, t } from '../../../api/index.ts'

/** An object, or its JSON text. Which keys and values it may have, the strategy says. */
const parameters: Param<Record<string, unknown>, false> = {
  ...(t.record(t.string(), { description: 'Of the strategy; also as JSON text.' }) as Param<
    Record<string, unknown>,
    false
  >),
  read(value, name, problems) {
    const read = typeof value === 'string' ? parsed(value) : value
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>
    problems.push({ name, missing: false, text: 'is invalid' })
    return undefined
  },
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const scope = {
  id: t.integer({ description: 'Of the scope that changes.' }),
  environment_scope: t.string({ description: 'Name of an environment; `*` is any text.' }),
  _destroy: t.boolean({ description: 'Remove it.' }),
}

const strategy = {
  id: t.integer({ description: 'Of the strategy that changes.' }),
  name: t.string(),
  parameters,
  scopes: t.array(t.object(scope), { maximum: 1_000 }),
  user_list_id: t.nullable(t.integer({ description: 'Of the strategy `gitlabUserList`.' })),
  _destroy: t.boolean({ description: 'Remove it.' }),
}
export type GivenStrategy = ParamValues<typeof strategy>
export type GivenScope = ParamValues<typeof scope>

const strategies = t.array(t.object(strategy), { maximum: 1_000, description: 'Also as JSON text.' })

const shared = {
  description: t.nullable(t.string()),
  active: t.boolean(),
  strategies,
}

export const flagFilter = { scope: t.oneOf(['enabled', 'disabled']) }

/** Parameters of x.feature_flags_create. */
export const newFlag = {
  name: t.required(t.string()),
  version: t.string({ description: 'Only `new_version_flag`.' }),
  ...shared,
  strategies: t.array(
    t.object({ ...strategy, name: t.required(strategy.name), parameters: t.required(strategy.parameters) }),
    { maximum: 1_000, description: 'Also as JSON text.' },
  ),
}
export type NewFlag = ParamValues<typeof newFlag>

/** Parameters of x.feature_flags_update. */
export const flagChanges = { name: t.string({ description: 'Renames the flag.' }), ...shared }
export type FlagChanges = ParamValues<typeof flagChanges>
