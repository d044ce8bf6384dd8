import { computed, forms, from, nullable, object, of, oneOf, Type } from '../../../api/index.ts'
import { protectionLevelName, protectionLevelNames } from '../../projects/index.ts'
import { ruleTypes } from '../core/words.ts'
import type { PackageProtectionRuleRow } from '../tables.ts'

const level = nullable(oneOf(protectionLevelNames))

/** A rule that protects packages (contract 23, ProtectionRule). */
export const PackageProtectionRule = object('PackageProtectionRule', of<PackageProtectionRuleRow>(), {
  id: forms.id,
  project_id: forms.id,
  package_name_pattern: from(Type.String(), 'pattern'),
  package_type: oneOf(ruleTypes),
  minimum_access_level_for_delete: computed(level, ({ delete_level }) => protectionLevelName(delete_level)),
  minimum_access_level_for_push: computed(level, ({ push_level }) => protectionLevelName(push_level)),
})
