import { forms, type Static, Type } from '../../../api/index.ts'
import type { UserEmailRow } from '../tables.ts'

/** A secondary address (contract 20, Email). */
export const UserEmail = Type.Object(
  { id: forms.id, email: Type.String(), confirmed_at: forms.nullableTimestamp },
  { title: 'UserEmail' },
)

export function presentEmail({ id, email, confirmed_at }: UserEmailRow): Static<typeof UserEmail> {
  return { id, email, confirmed_at }
}
