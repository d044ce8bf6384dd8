import { sql } from 'kysely'
import { type Dialect, searchTable } from '../infra/database/index.ts'

/**
 * Merge requests (contract 19) with the versions of their diffs, the commits of the newest version, reviewers, approvals and
 * the rules of approvals. What a row says of Git is as of the last recorded push: `sha` is the head of the source branch,
 * `target_sha` that of the target branch. The result of a check counts while it names the same two commits.
 */
export function up(dialect: Dialect) {
  const { id, name } = dialect
  const user = sql`bigint references users (id) on delete set null`
  return [
    sql`create table merge_requests (
      id ${id},
      iid bigint not null,
      project_id bigint not null references projects (id) on delete cascade,
      author_id bigint not null references users (id) on delete cascade,
      title text not null,
      description text,
      state text not null default 'opened' check (state in ('opened', 'closed', 'merged', 'locked')),
      draft boolean not null,
      source_branch ${name} not null,
      target_branch ${name} not null,
      sha text not null,
      source_exists boolean not null default true,
      target_sha text,
      milestone_id bigint references milestones (id) on delete set null,
      discussion_locked boolean,
      squash boolean not null,
      force_remove_source_branch boolean not null,
      should_remove_source_branch boolean,
      merge_after timestamptz,
      auto_merge jsonb,
      merging jsonb,
      merge_error text,
      merge_commit_sha text,
      squash_commit_sha text,
      merge_user_id ${user},
      merged_at timestamptz,
      closed_by_id ${user},
      closed_at timestamptz,
      rebase_started_at timestamptz,
      checked_sha text,
      checked_target_sha text,
      has_conflicts boolean not null default false,
      is_ahead boolean not null default false,
      is_behind boolean not null default false,
      prepared_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index merge_requests_iid_unique on merge_requests (project_id, iid)`,
    sql`create unique index merge_requests_branches_unique on merge_requests (project_id, source_branch, target_branch)
      where state in ('opened', 'locked')`,
    sql`create index merge_requests_target on merge_requests (project_id, target_branch)
      where state in ('opened', 'locked')`,
    sql`create index merge_requests_order on merge_requests (project_id, created_at, id)`,
    sql`create index merge_requests_project_updated on merge_requests (project_id, updated_at, id)`,
    sql`create index merge_requests_created on merge_requests (created_at, id)`,
    sql`create index merge_requests_updated on merge_requests (updated_at, id)`,
    sql`create index merge_requests_state on merge_requests (project_id, state)`,
    sql`create index merge_requests_source on merge_requests (project_id, source_branch)`,
    sql`create index merge_requests_author on merge_requests (author_id, created_at, id)`,
    sql`create index merge_requests_merge_user on merge_requests (merge_user_id)`,
    sql`create index merge_requests_closed_by on merge_requests (closed_by_id)`,
    sql`create index merge_requests_milestone on merge_requests (milestone_id)`,
    sql`create index merge_requests_merging on merge_requests (id) where merging is not null`,
    sql`create index merge_requests_merge_commit on merge_requests (project_id, merge_commit_sha)
      where merge_commit_sha is not null`,
    sql`create index merge_requests_squash_commit on merge_requests (project_id, squash_commit_sha)
      where squash_commit_sha is not null`,
    ...searchTable(dialect, 'merge_requests'),
    sql`create table merge_request_versions (
      id ${id},
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      head_sha text not null,
      base_sha text,
      start_sha text not null,
      commit_count integer not null,
      file_count integer not null,
      created_at timestamptz not null
    )`,
    sql`create index merge_request_versions_order on merge_request_versions (merge_request_id, id)`,
    sql`create table merge_request_commits (
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      sha text not null,
      position integer not null,
      primary key (merge_request_id, position)
    )`,
    sql`create index merge_request_commits_sha on merge_request_commits (project_id, sha, merge_request_id)`,
    sql`create table merge_request_closings (
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      issue_id bigint not null references issues (id) on delete cascade,
      primary key (merge_request_id, issue_id)
    )`,
    sql`create index merge_request_closings_issue on merge_request_closings (issue_id, merge_request_id)`,
    sql`create table merge_request_reviewers (
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      position integer not null,
      state text not null,
      created_at timestamptz not null,
      primary key (merge_request_id, user_id)
    )`,
    sql`create index merge_request_reviewers_user on merge_request_reviewers (user_id, merge_request_id)`,
    sql`create table approvals (
      id ${id},
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      created_at timestamptz not null
    )`,
    sql`create unique index approvals_unique on approvals (merge_request_id, user_id)`,
    sql`create index approvals_user on approvals (user_id)`,
    sql`create table approval_rules (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${name} not null,
      rule_type text not null check (rule_type in ('regular', 'any_approver')),
      approvals_required integer not null,
      created_at timestamptz not null
    )`,
    sql`create unique index approval_rules_name_unique on approval_rules (project_id, name)`,
    sql`create unique index approval_rules_any_approver_unique on approval_rules (project_id)
      where rule_type = 'any_approver'`,
    sql`create table approval_rule_users (
      rule_id bigint not null references approval_rules (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      primary key (rule_id, user_id)
    )`,
    sql`create index approval_rule_users_user on approval_rule_users (user_id)`,
    sql`create table approval_rule_groups (
      rule_id bigint not null references approval_rules (id) on delete cascade,
      namespace_id bigint not null references namespaces (id) on delete cascade,
      primary key (rule_id, namespace_id)
    )`,
    sql`create index approval_rule_groups_namespace on approval_rule_groups (namespace_id)`,
  ]
}
