import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Invitations by e-mail to projects and groups (contract 21, Invitation). */
export function up({ id }: Dialect) {
  return [
    sql`create table invitations (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      email text not null,
      folded_email text not null,
      access_level integer not null,
      expires_at date,
      token text not null,
      created_by_id bigint references users (id) on delete set null,
      created_at timestamptz not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index invitations_project_unique on invitations (project_id, folded_email)
      where project_id is not null`,
    sql`create unique index invitations_namespace_unique on invitations (namespace_id, folded_email)
      where namespace_id is not null`,
    sql`create index invitations_project_order on invitations (project_id, id) where project_id is not null`,
    sql`create index invitations_namespace_order on invitations (namespace_id, id) where namespace_id is not null`,
    sql`create index invitations_email on invitations (folded_email)`,
    sql`create index invitations_created_by on invitations (created_by_id)`,
  ]
}
