import { forms, type Static, Type } from '../../api/index.ts'
import type { UserRow } from '../users/index.ts'

/** A service account (contract 12, ServiceAccount). */
export const ServiceAccount = Type.Object(
  {
    id: forms.id,
    username: Type.String(),
    name: Type.String(),
    email: Type.String(),
    unconfirmed_email: Type.Optional(
      Type.String({ description: 'A new address; shown while it waits for confirmation.' }),
    ),
  },
  { title: 'ServiceAccount' },
)

export function presentAccount({ id, username, name, email, profile }: UserRow): Static<typeof ServiceAccount> {
  const { unconfirmed_email } = profile
  return { id, username, name, email, ...(unconfirmed_email === undefined ? {} : { unconfirmed_email }) }
}
