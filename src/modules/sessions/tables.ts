/** The browsers in which people are signed in (contract 20 R11). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const sessions = table(
  'sessions',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    /** SHA-256 of the token that the browser has. */
    digest: t.text(),
    created_at: t.time(),
    last_used_at: t.time(),
    expires_at: t.time(),
    /** Address and browser of the last use that was recorded. */
    ip: t.text().nullable(),
    user_agent: t.text().nullable(),
    /** The user as whom its administrator looks at the pages. */
    viewed_user_id: t.refers('users', 'set null').nullable(),
  },
  {
    unique: { digest: ['digest'] },
    indexes: { user: ['user_id', 'id'], expiry: ['expires_at'], viewed: partial('viewed_user_id') },
  },
)

export type SessionRow = RowOf<typeof sessions>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof sessions> {}
}
