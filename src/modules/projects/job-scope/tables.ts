import { type TablesOf, t, table } from '../../../infra/database/index.ts'

/** Projects whose jobs may act in a project (contract 24, "Job token scope"). */
export const jobTokenProjects = table(
  'job_token_projects',
  {
    project_id: t.refers('projects', 'cascade'),
    source_project_id: t.refers('projects', 'cascade'),
    created_at: t.time(),
  },
  { primaryKey: ['project_id', 'source_project_id'], indexes: { source: ['source_project_id'] } },
)

/** Groups whose projects' jobs may act in a project. */
export const jobTokenGroups = table(
  'job_token_groups',
  {
    project_id: t.refers('projects', 'cascade'),
    source_group_id: t.refers('namespaces', 'cascade'),
    created_at: t.time(),
  },
  { primaryKey: ['project_id', 'source_group_id'], indexes: { source: ['source_group_id'] } },
)

/** Projects that do not ask for a listed job, while the instance does not either. */
export const jobTokenOpenProjects = table('job_token_open_projects', {
  project_id: t.refers('projects', 'cascade').primaryKey(),
})

declare module '../../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof jobTokenProjects | typeof jobTokenGroups | typeof jobTokenOpenProjects> {}
}
