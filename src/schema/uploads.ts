import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Files that Markdown of a project or group refers to (contract 08). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table uploads (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      secret text not null,
      filename ${name} not null,
      size_bytes bigint not null,
      sha256 text not null,
      user_id bigint references users (id) on delete set null,
      created_at timestamptz not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index uploads_project_unique on uploads (secret, project_id)`,
    sql`create unique index uploads_namespace_unique on uploads (secret, namespace_id)`,
    sql`create index uploads_project_order on uploads (project_id, created_at, id) where project_id is not null`,
    sql`create index uploads_namespace_order on uploads (namespace_id, created_at, id) where namespace_id is not null`,
    sql`create index uploads_user on uploads (user_id)`,
  ]
}
