import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Domains that groups verify, and the users whom they claim by them (contract 13). */
export function up({ id }: Dialect) {
  return [
    sql`alter table users add column enterprise_group_id bigint references namespaces (id) on delete set null`,
    sql`alter table users add column enterprise_group_associated_at timestamptz`,
    sql`alter table users add column two_factor_enabled boolean not null default false`,
    sql`create index users_enterprise on users (enterprise_group_id, id) where enterprise_group_id is not null`,
    sql`create table group_domains (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      domain text not null,
      auto_ssl_enabled boolean not null default false,
      verification_code text not null,
      verified boolean not null default false,
      enabled_until timestamptz,
      remove_at timestamptz,
      created_at timestamptz not null
    )`,
    sql`create unique index group_domains_domain_unique on group_domains (domain)`,
    sql`create index group_domains_project on group_domains (project_id, id)`,
  ]
}
