import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * The paths of all namespaces and projects, current and old, under one primary key: a path names one resource
 * (contract 21). Owned by the module `namespaces`; a file of its own because it refers to projects as well.
 */
export function up({ name }: Dialect) {
  return [
    sql`create table routes (
      path_key ${name} primary key,
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      redirect boolean not null default false
    )`,
    sql`create index routes_namespace on routes (namespace_id)`,
    sql`create index routes_project on routes (project_id)`,
  ]
}
