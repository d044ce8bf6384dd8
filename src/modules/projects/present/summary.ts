import { computed, forms, from, object, of, type Static, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { type SummaryRow, summaryRows } from './store.ts'

/** A project in short (contract 01, ProjectSummary; contract 10, Project storage move). */
export const ProjectSummary = object('ProjectSummary', of<SummaryRow>(), {
  id: forms.id,
  description: forms.nullableString,
  name: Type.String(),
  name_with_namespace: computed(Type.String(), ({ namespace_full_name, name }) => `${namespace_full_name} / ${name}`),
  path: Type.String(),
  path_with_namespace: from(Type.String(), 'full_path'),
  created_at: forms.timestamp,
})

/** These projects in short, by id; in one query. */
export async function projectSummaries(
  db: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Static<typeof ProjectSummary>>> {
  return new Map((await summaryRows(db, ids)).map((row) => [row.id, ProjectSummary.present(row)]))
}
