import { sql } from 'kysely'
import { type Dialect, textIndex } from '../infra/database/index.ts'

/**
 * Indexes by which lists of what projects and groups contain are filtered, counted and sorted without reading the rows: iterations,
 * alerts, milestones, releases and snippets; and those of their texts.
 */
export function up(dialect: Dialect) {
  const due = sql`coalesce(due_date, '0001-01-01')`
  return [
    sql`drop index iterations_order`,
    sql`create index iterations_order on iterations (namespace_id, start_date, id, due_date, updated_at, title)`,
    sql`drop index alerts_status`,
    sql`create index alerts_listed on alerts (project_id, status, iid, id, severity, created_at, updated_at, ended_at,
      event_count, monitoring_tool, environment_name)`,
    sql`drop index milestones_project_order`,
    sql`create index milestones_project_order on milestones (project_id, ${due}, id, state, updated_at)
      where project_id is not null`,
    sql`drop index milestones_namespace_order`,
    sql`create index milestones_namespace_order on milestones (namespace_id, ${due}, id, state, updated_at)
      where namespace_id is not null`,
    sql`create index milestones_active on milestones (start_date, due_date, id) where state = 'active'`,
    sql`drop index releases_released`,
    sql`create index releases_released on releases (project_id, released_at, id, updated_at)`,
    sql`drop index snippets_visibility`,
    sql`create index snippets_visibility on snippets (visibility, id, created_at)
      where file_name is not null and project_id is null`,
    sql`create index snippets_created on snippets (created_at, id) where file_name is not null`,
    sql`create index snippets_listed on snippets (project_id, id) where file_name is not null`,
    sql`create index repositories_snippets on repositories (storage, snippet_id) where snippet_id is not null`,
    ...textIndex(dialect, 'alerts', ['title', 'description', 'monitoring_tool', 'service']),
    ...textIndex(dialect, 'iterations', ['title']),
    ...textIndex(dialect, 'labels', ['title', 'description']),
    ...textIndex(dialect, 'milestones', ['title', 'description']),
  ]
}
