import { computed, forms, nullable, object, of, pick, Type } from '../../api/index.ts'
import { type FeatureDefinition as Definition, definitionOf } from './definitions.ts'
import { type Gates, shownGates, stateOf } from './gates.ts'

const text = Type.String()
const flag = Type.Boolean()
const definition = of<Definition>()

export const FeatureDefinition = object('FeatureDefinition', definition, {
  name: text,
  introduced_by_url: forms.nullableString,
  rollout_issue_url: forms.nullableString,
  milestone: forms.nullableString,
  log_state_changes: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
  type: text,
  group: forms.nullableString,
  default_enabled: flag,
})

const { fields } = FeatureDefinition
const DefinitionOfFeature = object(null, definition, {
  ...pick(fields, 'name', 'introduced_by_url', 'rollout_issue_url', 'group', 'type', 'default_enabled'),
})

const Gate = Type.Object({
  key: text,
  value: Type.Unsafe<boolean | number | readonly string[]>({
    anyOf: [{ type: 'boolean' }, { type: 'number' }, { type: 'array', items: { type: 'string' } }],
  }),
})

/** A feature flag of the instance (contract 05). */
export const Feature = object('Feature', of<{ name: string; gates: Gates }>(), {
  name: text,
  state: computed(Type.String({ description: '`on`, `off` or `conditional`.' }), ({ gates }) => stateOf(gates)),
  gates: computed(Type.Array(Gate), ({ gates }) => shownGates(gates)),
  definition: computed(nullable(DefinitionOfFeature), ({ name }) => {
    const found = definitionOf(name)
    return found && DefinitionOfFeature.present(found)
  }),
})
