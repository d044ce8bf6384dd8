import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Approval rules that depend on a report, and those for some branches (contract 19, 24). A rule keeps the names of its branches, so
 * that it stays as it is while one of them is not protected.
 */
export function up({ name }: Dialect) {
  return [
    sql`alter table approval_rules add column report_type text`,
    sql`alter table approval_rules add column applies_to_all_protected_branches boolean not null default false`,
    sql`create unique index approval_rules_report_type_unique on approval_rules (project_id, report_type)
      where report_type is not null`,
    sql`create table approval_rule_branches (
      rule_id bigint not null references approval_rules (id) on delete cascade,
      name ${name} not null,
      primary key (rule_id, name)
    )`,
  ]
}
