import { sql } from 'kysely'

/** Which process deletes a container repository (contract 02 R8). */
export const up = () => [sql`alter table registry_repositories add column claimed_by text`]
