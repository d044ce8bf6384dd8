import { allTakenIn, type ParamValues, t } from '../../../api/index.ts'

const flags = {
  variable_type: t.oneOf(['env_var', 'file']),
  protected: t.boolean({ description: 'Given to jobs of protected branches and tags only.' }),
  masked: t.boolean({ description: 'Hidden in logs of jobs.' }),
  raw: t.boolean({ description: 'References in the value are not expanded.' }),
  description: t.nullable(t.string()),
}

const scope = { environment_scope: t.string({ description: 'Environments that get it; default `*`, any.' }) }

const created = { key: t.required(t.string()), value: t.required(t.string()), ...flags }

/** Parameters of 2.3 and its twin for projects. */
export const newVariable = {
  ...created,
  ...scope,
  masked_and_hidden: t.boolean({ description: 'Masked, and never shown by the API.' }),
}

/** Parameters of 2.8. */
export const newInstanceVariable = created

/** Selects one of several variables with one key. */
export const scopeFilter = {
  filter: t.object({ environment_scope: t.string() }, { description: 'Selects the variable with exactly this scope.' }),
}

/** Variables of groups have scopes in higher tiers only. */
const groupScope = allTakenIn({ tier: 'premium' }, scope)
export const newGroupVariable = { ...newVariable, ...groupScope }
export const groupScopeFilter = allTakenIn({ tier: 'premium' }, scopeFilter)

/** Null counts as absent, unless the variable is hidden (contract 03, 2.4). */
const requiredValue = t.required(t.nullable(t.string()))

/** Parameters of the changes: of project variables, group variables and instance variables. */
export const projectVariableChanges = { ...scopeFilter, value: t.nullable(t.string()), ...flags, ...scope }
export const groupVariableChanges = {
  ...projectVariableChanges,
  ...groupScopeFilter,
  ...groupScope,
  value: requiredValue,
}
export const instanceVariableChanges = { value: requiredValue, ...flags }

export type NewVariable = ParamValues<typeof newVariable>
export type VariableChanges = ParamValues<typeof projectVariableChanges>
export type ScopeFilter = ParamValues<typeof scopeFilter>['filter']
