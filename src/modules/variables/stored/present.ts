import { forms, type Static, Type } from '../../../api/index.ts'
import type { VariableRow } from '../tables.ts'

const flags = { protected: Type.Boolean(), masked: Type.Boolean(), raw: Type.Boolean() }
const begin = { variable_type: Type.String(), key: Type.String(), value: forms.nullableString }

/** A variable of a group or project (contract 03). */
export const Variable = Type.Object(
  {
    ...begin,
    hidden: Type.Boolean({ description: 'Whether the value is never shown.' }),
    ...flags,
    environment_scope: Type.String(),
    description: forms.nullableString,
  },
  { title: 'Variable' },
)

/** A variable of the instance (contract 03). */
export const InstanceVariable = Type.Object(
  { ...begin, ...flags, description: forms.nullableString },
  { title: 'InstanceVariable' },
)

/** @param value null when it cannot be opened; hidden values are not shown. Undeclared members are dropped for the instance. */
export function presentVariable(row: VariableRow, value: string | null): Static<typeof Variable> {
  const { variable_type, key, hidden, masked, raw, environment_scope, description } = row
  const shown = hidden ? null : value
  return {
    variable_type,
    key,
    value: shown,
    hidden,
    protected: row.protected,
    masked,
    raw,
    environment_scope,
    description,
  }
}
