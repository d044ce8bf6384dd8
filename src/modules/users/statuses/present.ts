import { forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import { escapeHtml } from '../../../infra/markdown/index.ts'
import { availabilities, type UserStatusRow } from '../tables.ts'

/** What a user says about the moment (contract 20, Status). */
export const UserStatus = Type.Object(
  {
    emoji: forms.nullableString,
    message: forms.nullableString,
    availability: nullable(oneOf(availabilities)),
    message_html: Type.String(),
    clear_status_at: forms.nullableTimestamp,
  },
  { title: 'UserStatus' },
)

/** @param row null for a user without a status */
export function presentStatus(row: UserStatusRow | null): Static<typeof UserStatus> {
  return {
    emoji: row?.emoji ?? null,
    message: row?.message ?? null,
    availability: row?.availability ?? null,
    message_html: escapeHtml(row?.message ?? ''),
    clear_status_at: row?.clear_status_at ?? null,
  }
}
