import { sql } from 'kysely'

/** What all nodes of the installation share: ids of the secret key, of the folders and of the SSH host keys. */
export function up() {
  return [sql`create table instance_facts (name text primary key, value text not null)`]
}
