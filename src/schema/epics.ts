import { sql } from 'kysely'
import { type Dialect, searchTable } from '../infra/database/index.ts'

/** Epics of groups, and the issues that are assigned to them in manual order (contract 17). An issue has one epic at most. */
export function up(dialect: Dialect) {
  const { id, name } = dialect
  return [
    sql`create table epics (
      id ${id},
      group_id bigint not null references namespaces (id) on delete cascade,
      iid bigint not null,
      parent_id bigint references epics (id) on delete set null,
      author_id bigint not null references users (id) on delete cascade,
      state text not null default 'opened' check (state in ('opened', 'closed')),
      confidential boolean not null default false,
      color text not null,
      start_date_fixed date,
      start_date_is_fixed boolean not null default false,
      due_date_fixed date,
      due_date_is_fixed boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      closed_at timestamptz,
      closed_by_id bigint references users (id) on delete set null,
      title ${name} not null,
      description text
    )`,
    sql`create unique index epics_iid_unique on epics (group_id, iid)`,
    sql`create index epics_created on epics (group_id, created_at, id)`,
    sql`create index epics_parent on epics (parent_id) where parent_id is not null`,
    sql`create index epics_author on epics (author_id)`,
    sql`create index epics_closed_by on epics (closed_by_id) where closed_by_id is not null`,
    ...searchTable(dialect, 'epics'),
    sql`create table epic_issues (
      id ${id},
      epic_id bigint not null references epics (id) on delete cascade,
      issue_id bigint not null references issues (id) on delete cascade,
      relative_position bigint not null
    )`,
    sql`create unique index epic_issues_issue_unique on epic_issues (issue_id)`,
    sql`create index epic_issues_order on epic_issues (epic_id, relative_position, id)`,
  ]
}
