/** Second names of projects, by which git finds them over SSH (contract 26.16). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const projectAliases = table(
  'project_aliases',
  { id: t.id(), project_id: t.refers('projects', 'cascade'), name: t.name(), created_at: t.time() },
  { unique: { name: ['name'] }, indexes: { project: ['project_id'] } },
)
export type ProjectAliasRow = RowOf<typeof projectAliases>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof projectAliases> {}
}
