import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Feature flags of the instance that an administrator has set, with their targets (contract 05). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table features (
      name ${name} primary key,
      enabled boolean not null,
      percentage_of_actors double precision not null,
      percentage_of_time double precision not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create table feature_targets (
      id ${id},
      feature_name ${name} not null references features (name) on delete cascade,
      kind text not null,
      value ${name} not null
    )`,
    sql`create unique index feature_targets_value_unique on feature_targets (feature_name, kind, value)`,
  ]
}
