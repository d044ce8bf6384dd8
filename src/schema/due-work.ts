import { sql } from 'kysely'

/** Indexes by which recurring jobs find the few rows that they are about. */
export function up() {
  return [
    sql`create index namespaces_leaving on namespaces (id) where pending_delete = true`,
    sql`create index repositories_to_pack on repositories (id) where packed_generation < generation`,
  ]
}
