import { forms, type Static, Type } from '../../api/index.ts'
import type { SessionRow } from './tables.ts'

/** A browser in which the caller is signed in (contract 20 R11). */
export const Session = Type.Object(
  {
    id: forms.id,
    created_at: forms.timestamp,
    last_used_at: forms.timestamp,
    expires_at: forms.timestamp,
    ip: forms.nullableString,
    user_agent: forms.nullableString,
    current: Type.Boolean({ description: 'Whether this request comes from it' }),
  },
  { title: 'Session' },
)

export function presentSession(row: SessionRow, currentId: number | null): Static<typeof Session> {
  const { id, created_at, last_used_at, expires_at, ip, user_agent } = row
  return { id, created_at, last_used_at, expires_at, ip, user_agent, current: id === currentId }
}
