import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** The projects that each deploy key is enabled for (contract 01). */
export function up({ id }: Dialect) {
  return [
    sql`create table deploy_key_projects (
      id ${id},
      key_id bigint not null references keys (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      can_push boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index deploy_key_projects_unique on deploy_key_projects (project_id, key_id)`,
    sql`create index deploy_key_projects_order on deploy_key_projects (project_id, id)`,
    sql`create index deploy_key_projects_key on deploy_key_projects (key_id, project_id)`,
  ]
}
