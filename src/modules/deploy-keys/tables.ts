/** The projects that each deploy key is enabled for (contract 01). */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** Joins deploy keys to projects (contract 01, "Keys"). */
export const deployKeyProjects = table(
  'deploy_key_projects',
  {
    id: t.id(),
    key_id: t.refers('keys', 'cascade'),
    project_id: t.refers('projects', 'cascade'),
    can_push: t.boolean().default(false),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: ['project_id', 'key_id'],
    indexes: { order: ['project_id', 'id'], key: ['key_id', 'project_id'] },
  },
)
export type DeployKeyProjectsTable = TableOf<typeof deployKeyProjects>

export type DeployKeyProjectRow = RowOf<typeof deployKeyProjects>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof deployKeyProjects> {}
}
