import { sql } from 'kysely'

/** Indexes by which snippets of a time, runners, and requests to a hook with a status are found and counted without reading them. */
export function up() {
  return [
    sql`drop index snippets_created`,
    sql`create index snippets_created on snippets (created_at, id, visibility, project_id, file_name)
      where file_name is not null`,
    sql`drop index runners_namespace`,
    sql`create index runners_namespace on runners (namespace_id, id, paused) where namespace_id is not null`,
    sql`drop index runners_type`,
    sql`create index runners_type on runners (runner_type, id, paused, namespace_id)`,
    sql`drop index web_hook_deliveries_order`,
    sql`create index web_hook_deliveries_order on web_hook_deliveries (web_hook_id, is_pending, id, response_code)`,
  ]
}
