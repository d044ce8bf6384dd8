import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Iterations of groups and their cadences (contract 17). `closed` says that the end of an iteration has been handled: its
 * state follows from its dates.
 */
export function up({ id, name }: Dialect) {
  return [
    sql`create table iteration_cadences (
      id ${id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      title ${name} not null,
      description text,
      automatic boolean not null,
      start_date date,
      duration_in_weeks integer,
      iterations_in_advance integer,
      roll_over boolean not null,
      active boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create index iteration_cadences_order on iteration_cadences (namespace_id, id)`,
    sql`create index iteration_cadences_automatic on iteration_cadences (id) where automatic = true and active = true`,
    sql`create table iterations (
      id ${id},
      iid bigint not null,
      namespace_id bigint not null references namespaces (id) on delete cascade,
      cadence_id bigint not null references iteration_cadences (id) on delete cascade,
      sequence integer not null,
      title ${name},
      description text,
      start_date date not null,
      due_date date not null,
      closed boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index iterations_iid_unique on iterations (namespace_id, iid)`,
    sql`create index iterations_order on iterations (namespace_id, start_date, id)`,
    sql`create index iterations_cadence on iterations (cadence_id, start_date)`,
    sql`create index iterations_open on iterations (due_date, id) where closed = false`,
    sql`create index iterations_title on iterations (title)`,
  ]
}
