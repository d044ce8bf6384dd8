import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Milestones of projects and groups (contract 17). Lists begin with the latest due date and end with milestones that have none. */
export function up({ id, name }: Dialect) {
  return [
    sql`create table milestones (
      id ${id},
      iid bigint not null,
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      title ${name} not null,
      description text,
      state text not null default 'active' check (state in ('active', 'closed')),
      start_date date,
      due_date date,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index milestones_project_iid_unique on milestones (project_id, iid) where project_id is not null`,
    sql`create unique index milestones_namespace_iid_unique on milestones (namespace_id, iid)
      where namespace_id is not null`,
    sql`create unique index milestones_project_title_unique on milestones (project_id, title)
      where project_id is not null`,
    sql`create unique index milestones_namespace_title_unique on milestones (namespace_id, title)
      where namespace_id is not null`,
    sql`create index milestones_title on milestones (title, id)`,
    sql`create index milestones_due on milestones (due_date, id) where due_date is not null`,
    sql`create index milestones_project_order on milestones (project_id, coalesce(due_date, '0001-01-01'), id)
      where project_id is not null`,
    sql`create index milestones_namespace_order on milestones (namespace_id, coalesce(due_date, '0001-01-01'), id)
      where namespace_id is not null`,
  ]
}
