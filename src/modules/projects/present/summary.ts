import { forms, type Static, Type } from '../../../api/index.ts'
import type { ProjectRow } from '../tables.ts'

/** A project in short (contract 01, ProjectSummary; contract 10, Project storage move). */
export const ProjectSummary = Type.Object(
  {
    id: forms.id,
    description: forms.nullableString,
    name: Type.String(),
    name_with_namespace: Type.String(),
    path: Type.String(),
    path_with_namespace: Type.String(),
    created_at: forms.timestamp,
  },
  { title: 'ProjectSummary' },
)

type Summarised = Pick<ProjectRow, 'id' | 'description' | 'name' | 'path' | 'full_path' | 'created_at'> & {
  namespace_full_name: string
}

/** Presents a project in short. */
export function presentProjectSummary(row: Summarised): Static<typeof ProjectSummary> {
  const { id, description, name, path, full_path: fullPath, created_at } = row
  const fullName = `${row.namespace_full_name} / ${name}`
  return { id, description, name, name_with_namespace: fullName, path, path_with_namespace: fullPath, created_at }
}
