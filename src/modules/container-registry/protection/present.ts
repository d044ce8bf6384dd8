import { forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import { type ProjectRow, protectionLevelName, protectionLevelNames } from '../../projects/index.ts'
import type { RegistryProtectionRuleRow } from '../tables.ts'

const level = nullable(oneOf(protectionLevelNames))

/** A rule that protects container repositories (contract 02, "Container repository protection rule"). */
export const ProtectionRule = Type.Object(
  {
    id: forms.id,
    project_id: forms.id,
    repository_path_pattern: Type.String(),
    minimum_access_level_for_push: level,
    minimum_access_level_for_delete: level,
  },
  { title: 'ContainerRepositoryProtectionRule' },
)

export function presentRule(
  { id, pattern, push_level, delete_level }: RegistryProtectionRuleRow,
  project: Pick<ProjectRow, 'id' | 'full_path'>,
): Static<typeof ProtectionRule> {
  return {
    id,
    project_id: project.id,
    repository_path_pattern: `${project.full_path.toLowerCase()}${pattern}`,
    minimum_access_level_for_push: protectionLevelName(push_level),
    minimum_access_level_for_delete: protectionLevelName(delete_level),
  }
}
