import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** Which deploy key opens which project, who made a deploy key, and whether all maintainers may use it (contract 01). */
export function up({ id }: Dialect) {
  return [
    sql`alter table keys add column owner_id bigint references users (id) on delete set null`,
    sql`alter table keys add column public boolean not null default false`,
    sql`create index keys_owner on keys (owner_id)`,
    sql`create index keys_deploy on keys (id) where kind = 'deploy'`,
    sql`create index keys_public on keys (id) where public = true`,
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
