import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** What users add to their accounts: statuses, secondary e-mail addresses, and whom they follow (contract 20). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table user_statuses (
      user_id bigint primary key references users (id) on delete cascade,
      emoji text not null,
      message text,
      availability text,
      clear_status_at timestamptz
    )`,
    sql`create table user_emails (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      email ${name} not null,
      confirmed_at timestamptz,
      created_at timestamptz not null
    )`,
    sql`create unique index user_emails_email_unique on user_emails (lower(email))`,
    sql`create index user_emails_user on user_emails (user_id, id)`,
    sql`create table user_follows (
      id ${id},
      follower_id bigint not null references users (id) on delete cascade,
      followed_id bigint not null references users (id) on delete cascade
    )`,
    sql`create unique index user_follows_unique on user_follows (follower_id, followed_id)`,
    sql`create index user_follows_follower on user_follows (follower_id, id)`,
    sql`create index user_follows_followed on user_follows (followed_id, id)`,
    sql`create index users_last_activity on users (last_activity_on, id)`,
  ]
}
