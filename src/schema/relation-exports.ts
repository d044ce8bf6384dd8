import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Exports of the relations of projects and groups, with the files they consist of (contract 14). */
export function up({ id }: Dialect) {
  return [
    sql`create table relation_exports (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      relation text not null,
      status integer not null,
      error text,
      batched boolean not null,
      objects_count bigint not null,
      ticket text not null,
      run text,
      user_id bigint references users (id) on delete set null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index relation_exports_project_unique on relation_exports (project_id, relation)`,
    sql`create unique index relation_exports_namespace_unique on relation_exports (namespace_id, relation)`,
    sql`create index relation_exports_run on relation_exports (run)`,
    sql`create index relation_exports_status on relation_exports (status, updated_at)`,
    sql`create index relation_exports_user on relation_exports (user_id)`,
    sql`create table relation_export_files (
      export_id bigint not null references relation_exports (id) on delete cascade,
      number integer not null,
      status integer not null,
      error text,
      objects_count bigint not null,
      size_bytes bigint not null,
      sha256 text not null,
      updated_at timestamptz not null,
      primary key (export_id, number)
    )`,
    sql`create table relation_export_users (
      export_id bigint not null references relation_exports (id) on delete cascade,
      user_id bigint not null,
      primary key (export_id, user_id)
    )`,
  ]
}
