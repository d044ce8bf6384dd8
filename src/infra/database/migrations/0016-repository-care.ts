import { sql } from 'kysely'

/**
 * Repositories of groups (their wikis), and what care every repository gets: the generation that its sizes were measured at,
 * and the one at which it was last packed (contract 22 R5, R8).
 */
export function up() {
  return [
    sql`alter table repositories add column namespace_id bigint references namespaces (id) on delete cascade`,
    sql`create unique index repositories_namespace_unique on repositories (namespace_id, kind)`,
    sql`alter table repositories add column measured_generation bigint not null default 0`,
    sql`alter table repositories add column packed_generation bigint not null default 0`,
  ]
}
