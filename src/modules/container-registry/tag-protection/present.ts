import { computed, forms, from, nullable, object, of, oneOf, Type } from '../../../api/index.ts'
import { protectionLevelName, protectionLevelNames } from '../../projects/index.ts'
import type { RegistryTagRuleRow } from '../tables.ts'

const level = nullable(oneOf(protectionLevelNames))

/** A rule that protects tags of images (contract 26.17, Rule). */
export const TagProtectionRule = object('ContainerTagProtectionRule', of<RegistryTagRuleRow>(), {
  id: forms.id,
  project_id: forms.id,
  tag_name_pattern: from(Type.String(), 'pattern'),
  minimum_access_level_for_push: computed(level, ({ push_level }) => protectionLevelName(push_level)),
  minimum_access_level_for_delete: computed(level, ({ delete_level }) => protectionLevelName(delete_level)),
})
