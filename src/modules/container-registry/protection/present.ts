import { forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { RegistryProtectionRuleRow } from '../tables.ts'
import { type ProtectionLevel, protectionLevels } from './params.ts'

const names = Object.keys(protectionLevels) as ProtectionLevel[]
const level = nullable(oneOf(names))

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

const nameOf = (level: number | null) => names.find((name) => protectionLevels[name] === level) ?? null

export function presentRule(
  { id, pattern, push_level, delete_level }: RegistryProtectionRuleRow,
  project: Pick<ProjectRow, 'id' | 'full_path'>,
): Static<typeof ProtectionRule> {
  return {
    id,
    project_id: project.id,
    repository_path_pattern: `${project.full_path.toLowerCase()}${pattern}`,
    minimum_access_level_for_push: nameOf(push_level),
    minimum_access_level_for_delete: nameOf(delete_level),
  }
}
