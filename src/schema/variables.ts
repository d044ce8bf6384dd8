import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** CI/CD variables of groups, of projects, and of the instance, which has neither; and the plan limits (contract 03). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table ci_variables (
      id ${id},
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      key ${name} not null,
      environment_scope ${name} not null,
      sealed_value text not null,
      variable_type text not null,
      protected boolean not null,
      masked boolean not null,
      hidden boolean not null,
      raw boolean not null,
      description text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index ci_variables_namespace_unique
      on ci_variables (namespace_id, key, environment_scope) where namespace_id is not null`,
    sql`create unique index ci_variables_project_unique
      on ci_variables (project_id, key, environment_scope) where project_id is not null`,
    sql`create unique index ci_variables_instance_unique
      on ci_variables (key) where namespace_id is null and project_id is null`,
    sql`create index ci_variables_namespace_order on ci_variables (namespace_id, id) where namespace_id is not null`,
    sql`create index ci_variables_project_order on ci_variables (project_id, id) where project_id is not null`,
    sql`create table plan_limits (
      id integer primary key,
      changed jsonb not null,
      updated_at timestamptz not null
    )`,
  ]
}
