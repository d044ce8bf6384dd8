import { forms, type Static, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { type SummaryRow, summaryRows } from './store.ts'

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

/** Presents a project in short. */
export function presentProjectSummary(row: SummaryRow): Static<typeof ProjectSummary> {
  const { id, description, name, path, full_path: fullPath, created_at } = row
  const fullName = `${row.namespace_full_name} / ${name}`
  return { id, description, name, name_with_namespace: fullName, path, path_with_namespace: fullPath, created_at }
}

/** These projects in short, by id; in one query. */
export async function projectSummaries(
  db: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Static<typeof ProjectSummary>>> {
  return new Map((await summaryRows(db, ids)).map((row) => [row.id, presentProjectSummary(row)]))
}
