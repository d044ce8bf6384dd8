import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Who sent a submission (contract 09, UserAgentDetail; contract 16), and details of submissions that were recognized as spam
 * (contract 00, "Spam and CAPTCHA"). `subject_type` and `subject_id` refer to a snippet or an issue.
 */
export function up({ id }: Dialect) {
  return [
    sql`create table user_agent_details (
      id ${id},
      subject_type text not null,
      subject_id bigint not null,
      project_id bigint references projects (id) on delete cascade,
      user_agent text not null,
      ip_address text not null,
      akismet_submitted boolean not null default false,
      created_at timestamptz not null
    )`,
    sql`create unique index user_agent_details_unique on user_agent_details (subject_type, subject_id)`,
    sql`create index user_agent_details_project on user_agent_details (project_id)`,
    sql`alter table spam_logs add column title text not null default ''`,
    sql`alter table spam_logs add column user_agent text not null default ''`,
    sql`alter table spam_logs add column ip_address text not null default ''`,
    sql`alter table spam_logs add column solvable boolean not null default true`,
    sql`create index spam_logs_created on spam_logs (created_at)`,
  ]
}
