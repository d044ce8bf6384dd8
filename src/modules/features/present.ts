import { forms, nullable, type Static, Type } from '../../api/index.ts'
import { definitionOf } from './definitions.ts'
import { type Gates, shownGates, stateOf } from './gates.ts'

const definitionMembers = {
  name: Type.String(),
  introduced_by_url: forms.nullableString,
  rollout_issue_url: forms.nullableString,
  group: forms.nullableString,
  type: Type.String(),
  default_enabled: Type.Boolean(),
}

/** A feature flag of the instance (contract 05). */
export const Feature = Type.Object(
  {
    name: Type.String(),
    state: Type.String({ description: '`on`, `off` or `conditional`.' }),
    gates: Type.Array(
      Type.Object({
        key: Type.String(),
        value: Type.Unsafe<boolean | number | readonly string[]>({
          anyOf: [{ type: 'boolean' }, { type: 'number' }, { type: 'array', items: { type: 'string' } }],
        }),
      }),
    ),
    definition: nullable(Type.Object(definitionMembers)),
  },
  { title: 'Feature' },
)

export const FeatureDefinition = Type.Object(
  {
    name: definitionMembers.name,
    introduced_by_url: forms.nullableString,
    rollout_issue_url: forms.nullableString,
    milestone: forms.nullableString,
    log_state_changes: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
    type: Type.String(),
    group: forms.nullableString,
    default_enabled: Type.Boolean(),
  },
  { title: 'FeatureDefinition' },
)

export function presentFeature(name: string, gates: Gates): Static<typeof Feature> {
  return { name, state: stateOf(gates), gates: shownGates(gates), definition: definitionOf(name) }
}
