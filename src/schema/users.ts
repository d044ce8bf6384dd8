import { sql } from 'kysely'
import { type Dialect, textIndex } from '../infra/database/index.ts'

/** User accounts and their identities at external providers (contract 20). */
export function up(dialect: Dialect) {
  const { id, name } = dialect
  return [
    sql`create table users (
      id ${id},
      username ${name} not null,
      name ${name} not null,
      email ${name} not null,
      public_email ${name},
      state text not null default 'active',
      is_admin boolean not null default false,
      external boolean not null default false,
      private_profile boolean not null default false,
      bot_kind text,
      password_hash text,
      password_expired boolean not null default false,
      confirmed_at timestamptz,
      failed_attempts integer not null default 0,
      locked_until timestamptz,
      projects_limit integer not null,
      can_create_group boolean not null default true,
      profile jsonb not null default '{}',
      note text,
      avatar text,
      created_by_id bigint references users (id) on delete set null,
      sign_in_count integer not null default 0,
      current_sign_in_at timestamptz,
      current_sign_in_ip text,
      last_sign_in_at timestamptz,
      last_sign_in_ip text,
      last_activity_on date,
      removed_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index users_username_unique on users (lower(username))`,
    sql`create unique index users_email_unique on users (lower(email))`,
    sql`create index users_public_email on users (public_email)`,
    sql`create index users_created_by on users (created_by_id)`,
    sql`create index users_bots on users (bot_kind) where bot_kind is not null`,
    sql`create index users_admins on users (id) where is_admin`,
    sql`create index users_external on users (id) where external`,
    sql`create index users_state on users (state, id)`,
    sql`create index users_name on users (name, id)`,
    sql`create index users_lower_name on users (lower(name))`,
    sql`create index users_lower_public_email on users (lower(public_email))`,
    sql`create index users_created_at on users (created_at, id)`,
    sql`create index users_updated_at on users (updated_at, id)`,
    ...textIndex(dialect, 'users', ['username', 'name', 'public_email']),
    sql`create table identities (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      provider text not null,
      extern_uid text not null
    )`,
    sql`create unique index identities_extern_uid_unique on identities (provider, extern_uid)`,
    sql`create unique index identities_user_unique on identities (user_id, provider)`,
  ]
}
