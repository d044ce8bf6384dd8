import { forms, type Static, Type } from '../../api/index.ts'
import type { SentInvitation } from './store.ts'

/** A pending invitation (contract 21, Invitation). */
export const Invitation = Type.Object(
  {
    access_level: Type.Integer(),
    created_at: forms.timestamp,
    expires_at: forms.nullableDay,
    invite_email: Type.String(),
    invite_token: Type.String(),
    user_name: forms.nullableString,
    created_by_name: forms.nullableString,
  },
  { title: 'Invitation' },
)

export const ChangedInvitation = Type.Object(
  { expires_at: forms.nullableDay, access_level: Type.Integer() },
  { title: 'ChangedInvitation' },
)

export function presentInvitation(row: SentInvitation): Static<typeof Invitation> {
  const { access_level, created_at, expires_at, email, token, created_by_name } = row
  return {
    access_level,
    created_at,
    expires_at,
    invite_email: email,
    invite_token: token,
    user_name: null,
    created_by_name,
  }
}
