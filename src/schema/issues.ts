import { sql } from 'kysely'
import { type Dialect, searchTable } from '../infra/database/index.ts'

/**
 * Issues (contract 16) and the links between them. Lists of one project, of groups and of the instance are read in their order
 * without sorting. Attributes that few issues have are in partial indexes.
 */
export function up(dialect: Dialect) {
  const { id, name } = dialect
  const some = (column: string) =>
    sql.raw(`create index issues_${column} on issues (project_id, ${column}, id) where ${column} is not null`)
  const someAnywhere = (column: string) =>
    sql.raw(`create index issues_all_${column} on issues (${column}, id) where ${column} is not null`)
  return [
    sql`create table issues (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      iid bigint not null,
      state text not null default 'opened' check (state in ('opened', 'closed')),
      confidential boolean not null default false,
      issue_type text not null default 'issue' check (issue_type in ('issue', 'incident', 'test_case', 'task')),
      severity text not null default 'unknown',
      author_id bigint not null references users (id) on delete cascade,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      closed_at timestamptz,
      closed_by_id bigint references users (id) on delete set null,
      due_date date,
      weight bigint check (weight >= 0),
      health_status text,
      milestone_id bigint,
      iteration_id bigint,
      relative_position double precision,
      discussion_locked boolean not null default false,
      moved_to_id bigint references issues (id) on delete set null,
      duplicated_to_id bigint references issues (id) on delete set null,
      title ${name} not null,
      description text
    )`,
    sql`create unique index issues_iid_unique on issues (project_id, iid)`,
    sql`create index issues_project_created on issues (project_id, created_at, id)`,
    sql`create index issues_project_updated on issues (project_id, updated_at, id)`,
    sql`create index issues_project_id on issues (project_id, id)`,
    sql`create index issues_project_title on issues (project_id, lower(title), id)`,
    sql`create index issues_title on issues (lower(title), id)`,
    sql`create index issues_created on issues (created_at, id)`,
    sql`create index issues_updated on issues (updated_at, id)`,
    sql`create index issues_project_position on issues (project_id, (coalesce(relative_position, id * 1024.0)), id)`,
    sql`create index issues_position on issues ((coalesce(relative_position, id * 1024.0)), id)`,
    sql`create index issues_state on issues (project_id, state, confidential)`,
    sql`create index issues_author on issues (author_id, project_id)`,
    sql`create index issues_closed_by on issues (closed_by_id) where closed_by_id is not null`,
    sql`create index issues_moved_to on issues (moved_to_id) where moved_to_id is not null`,
    sql`create index issues_duplicated_to on issues (duplicated_to_id) where duplicated_to_id is not null`,
    sql`create index issues_milestone on issues (milestone_id, id) where milestone_id is not null`,
    sql`create index issues_iteration on issues (iteration_id) where iteration_id is not null`,
    sql`create index issues_confidential on issues (project_id, confidential) where confidential = true`,
    sql`create index issues_type on issues (project_id, issue_type) where issue_type <> 'issue'`,
    ...['due_date', 'weight', 'health_status'].map(some),
    ...['due_date', 'weight'].map(someAnywhere),
    // Many have the same weight, among which the newest is the first in both directions.
    sql`create index issues_all_weight_ascending on issues (weight, id desc) where weight is not null`,
    ...searchTable(dialect, 'issues'),
    sql`create table issue_links (
      id ${id},
      source_id bigint not null references issues (id) on delete cascade,
      target_id bigint not null references issues (id) on delete cascade,
      link_type text not null check (link_type in ('relates_to', 'blocks')),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check (source_id <> target_id)
    )`,
    sql`create unique index issue_links_pair_unique on issue_links (
      (case when source_id < target_id then source_id else target_id end),
      (case when source_id < target_id then target_id else source_id end))`,
    sql`create index issue_links_source on issue_links (source_id, id)`,
    sql`create index issue_links_target on issue_links (target_id, id)`,
  ]
}
