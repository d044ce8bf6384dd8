import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Push rules of projects, and those that a group gives to its new projects (contract 22, PushRule). */
export function up({ id }: Dialect) {
  return [
    sql`create table push_rules (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      commit_message_regex text,
      commit_message_negative_regex text,
      branch_name_regex text,
      author_email_regex text,
      file_name_regex text,
      deny_delete_tag boolean not null default false,
      member_check boolean not null default false,
      prevent_secrets boolean not null default false,
      max_file_size integer not null default 0,
      commit_committer_check boolean not null default false,
      commit_committer_name_check boolean not null default false,
      reject_unsigned_commits boolean not null default false,
      reject_non_dco_commits boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index push_rules_project_unique on push_rules (project_id)`,
    sql`create unique index push_rules_namespace_unique on push_rules (namespace_id)`,
  ]
}
