import { computed, forms, from, nullable, object, of, oneOf, Type } from '../../../api/index.ts'
import { ruleTypes } from '../core/words.ts'
import type { PackageProtectionRuleRow } from '../tables.ts'
import { type RuleLevel, ruleLevels } from './params.ts'

const names = Object.keys(ruleLevels) as RuleLevel[]
const nameOf = (level: number | null) => names.find((name) => ruleLevels[name] === level) ?? null

/** A rule that protects packages (contract 23, ProtectionRule). */
export const PackageProtectionRule = object('PackageProtectionRule', of<PackageProtectionRuleRow>(), {
  id: forms.id,
  project_id: forms.id,
  package_name_pattern: from(Type.String(), 'pattern'),
  package_type: oneOf(ruleTypes),
  minimum_access_level_for_delete: computed(nullable(oneOf(names)), ({ delete_level }) => nameOf(delete_level)),
  minimum_access_level_for_push: computed(nullable(oneOf(names)), ({ push_level }) => nameOf(push_level)),
})
