import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Users who ask to join a project or a group (contract 11), the oldest request first. */
export function up({ id }: Dialect) {
  return [
    sql`create table access_requests (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      created_at timestamptz not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index access_requests_project_unique on access_requests (project_id, user_id)
      where project_id is not null`,
    sql`create unique index access_requests_namespace_unique on access_requests (namespace_id, user_id)
      where namespace_id is not null`,
    sql`create index access_requests_project_order on access_requests (project_id, created_at, id)
      where project_id is not null`,
    sql`create index access_requests_namespace_order on access_requests (namespace_id, created_at, id)
      where namespace_id is not null`,
    sql`create index access_requests_user on access_requests (user_id)`,
  ]
}
