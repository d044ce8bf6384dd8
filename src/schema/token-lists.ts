import { sql } from 'kysely'
import { type Dialect, orderIndexes, textIndex } from '../infra/database/index.ts'

/** Indexes for the orders and filters of all access tokens (contract 20, x.pats_list). */
export function up(dialect: Dialect) {
  const table = 'access_tokens'
  return [
    sql`create index access_tokens_created on access_tokens (created_at, id, kind)`,
    sql`create index access_tokens_name on access_tokens (name, id)`,
    ...orderIndexes(dialect, { name: 'access_tokens_expires', table, column: 'expires_at', also: ['kind', 'revoked'] }),
    ...orderIndexes(dialect, { name: 'access_tokens_used', table, column: 'last_used_at', also: ['kind'] }),
    ...textIndex(dialect, table, ['name']),
  ]
}
