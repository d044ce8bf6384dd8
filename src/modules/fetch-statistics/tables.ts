/** How often projects were cloned and fetched, by day (contract 21, x.projects_statistics). */
import { type TablesOf, t, table } from '../../infra/database/index.ts'
export const projectFetches = table(
  'project_fetches',
  {
    project_id: t.refers('projects', 'cascade'),
    /** In UTC. */
    day: t.date(),
    number: t.bigint(),
  },
  {
    primaryKey: ['project_id', 'day'],
    indexes: { day: ['day'] },
  },
)

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof projectFetches> {}
}
