import { computed, forms, object, of, pick, Type } from '../../../api/index.ts'
import type { VariableRow } from '../tables.ts'

/** A variable with its value, which is null when it cannot be opened. */
const variables = of<VariableRow & { value: string | null }>()

/** A variable of a group or project (contract 03). */
export const Variable = object('Variable', variables, {
  variable_type: Type.String(),
  key: Type.String(),
  value: computed(forms.nullableString, ({ hidden, value }) => (hidden ? null : value)),
  hidden: Type.Boolean({ description: 'Whether the value is never shown.' }),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean(),
  environment_scope: Type.String(),
  description: forms.nullableString,
})

/** A variable of the instance (contract 03). */
export const InstanceVariable = object('InstanceVariable', variables, {
  ...pick(Variable.fields, 'variable_type', 'key', 'value', 'protected', 'masked', 'raw', 'description'),
})
