import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Labels of projects and groups in one id sequence, their priorities in projects, and who is subscribed to them (contract 17). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table labels (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      title ${name} not null,
      description text,
      color text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index labels_project_unique on labels (project_id, title) where project_id is not null`,
    sql`create unique index labels_namespace_unique on labels (namespace_id, title) where namespace_id is not null`,
    sql`create index labels_title on labels (title, id)`,
    sql`create table label_priorities (
      project_id bigint not null references projects (id) on delete cascade,
      label_id bigint not null references labels (id) on delete cascade,
      priority bigint not null check (priority >= 0),
      primary key (project_id, label_id)
    )`,
    sql`create index label_priorities_label on label_priorities (label_id)`,
    sql`create index label_priorities_order on label_priorities (priority, project_id, label_id)`,
    sql`create table label_subscriptions (
      label_id bigint not null references labels (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      created_at timestamptz not null,
      primary key (label_id, user_id)
    )`,
    sql`create index label_subscriptions_user on label_subscriptions (user_id)`,
  ]
}
