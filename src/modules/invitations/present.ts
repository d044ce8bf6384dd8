import { computed, forms, from, object, of, Type } from '../../api/index.ts'
import type { SentInvitation } from './store.ts'

/** A pending invitation (contract 21, Invitation). */
export const Invitation = object('Invitation', of<SentInvitation>(), {
  access_level: Type.Integer(),
  created_at: forms.timestamp,
  expires_at: forms.nullableDay,
  invite_email: from(Type.String(), 'email'),
  invite_token: from(Type.String(), 'token'),
  user_name: computed(forms.nullableString, () => null),
  created_by_name: forms.nullableString,
})

export const ChangedInvitation = Type.Object(
  { expires_at: forms.nullableDay, access_level: Type.Integer() },
  { title: 'ChangedInvitation' },
)
