import { sql } from 'kysely'

/** Reads that the primary has confirmed to a secondary, which go on while the primary is away (contract 15). */
export const up = () => [
  sql`create table geo_confirmed_reads (
    caller text not null,
    action text not null,
    resource text not null,
    type text,
    replicable_id bigint,
    confirmed_at timestamptz not null,
    primary key (caller, action, resource)
  )`,
  sql`create index geo_confirmed_reads_age on geo_confirmed_reads (confirmed_at)`,
]
