import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Column of the lists whose entries may name a deploy key. */
const keyColumn = sql`, deploy_key_id bigint references keys (id) on delete cascade`

/**
 * Protected branches (of a project, or of a top-level group for all projects below) and protected tags, each with lists of
 * access levels (contract 01). Every kind of list has its own id sequence. An entry names exactly one access level, user,
 * group or deploy key, and is deleted with it.
 */
export function up({ id, name }: Dialect) {
  const list = (table: string, rules: string, hasKeys: boolean) => {
    const key = hasKeys ? sql` + (case when deploy_key_id is null then 0 else 1 end)` : sql``
    const index = (column: string) =>
      sql`create index ${sql.ref(`${table}_${column}`)} on ${sql.table(table)} (${sql.ref(column)})`
    return [
      sql`create table ${sql.table(table)} (
        id ${id},
        rule_id bigint not null references ${sql.table(rules)} (id) on delete cascade,
        access_level integer,
        user_id bigint references users (id) on delete cascade,
        group_id bigint references namespaces (id) on delete cascade
        ${hasKeys ? keyColumn : sql``},
        check (1 = (case when access_level is null then 0 else 1 end) + (case when user_id is null then 0 else 1 end)
          + (case when group_id is null then 0 else 1 end) ${key})
      )`,
      index('rule_id'),
      index('user_id'),
      index('group_id'),
      ...(hasKeys ? [index('deploy_key_id')] : []),
    ]
  }
  return [
    sql`create table protected_branches (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      name ${name} not null,
      allow_force_push boolean not null default false,
      code_owner_approval_required boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index protected_branches_project_unique on protected_branches (project_id, name)
      where project_id is not null`,
    sql`create unique index protected_branches_namespace_unique on protected_branches (namespace_id, name)
      where namespace_id is not null`,
    ...list('protected_branch_push_access_levels', 'protected_branches', true),
    ...list('protected_branch_merge_access_levels', 'protected_branches', false),
    ...list('protected_branch_unprotect_access_levels', 'protected_branches', false),
    sql`create table protected_tags (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${name} not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index protected_tags_project_unique on protected_tags (project_id, name)`,
    ...list('protected_tag_create_access_levels', 'protected_tags', true),
  ]
}
