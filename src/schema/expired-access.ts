import { sql } from 'kysely'

/** Indexes by which a daily job finds the memberships, invitations and shares that have expired (contract 21 R1). */
export function up() {
  return [
    sql`create index members_expiry on members (expires_at, id) where expires_at is not null`,
    sql`create index invitations_expiry on invitations (expires_at, id) where expires_at is not null`,
    sql`create index group_links_expiry on group_links (expires_at, id) where expires_at is not null`,
  ]
}
