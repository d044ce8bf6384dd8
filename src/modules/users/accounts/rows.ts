import type { Insertable } from 'kysely'
import { conflict, taken } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import { insertNamespace } from '../../namespaces/index.ts'
import { claimPrimary } from '../emails/claims.ts'
import { insertUser } from '../store.ts'
import type { UserRow, UsersTable } from '../tables.ts'
import type { Profile } from './params.ts'

/** The address is that of another account. */
export const emailTaken = () => conflict(`Email ${taken}`)

type Columns = Insertable<UsersTable>

/** The columns of a new user. */
export type NewUserRow = Pick<
  Columns,
  'username' | 'name' | 'email' | 'confirmed_at' | 'projects_limit' | 'created_at'
> &
  Partial<Omit<Columns, 'profile'>> & { profile?: Profile }

/**
 * Creates a user, and its personal namespace unless it is a bot (contract 20, x.users_create).
 * @throws UniqueViolation of `users_email_unique`, `users_username_unique`, or of the path when a group has it; ApiError 409
 * when the address is a secondary one of another user
 */
export async function createUserRows(tx: Tx, { profile = {}, ...user }: NewUserRow): Promise<UserRow> {
  const defaults = { state: 'active', can_create_group: true, updated_at: user.created_at } as const
  if (!(await claimPrimary(tx, user.email, null))) throw emailTaken()
  const row = await insertUser(tx, { ...defaults, ...user, profile: JSON.stringify(profile) })
  if (!user.bot_kind || user.bot_kind === 'service_account') {
    await insertNamespace(tx, {
      kind: 'user',
      name: user.name,
      path: user.username,
      parent: null,
      ownerId: row.id,
      visibility: 'public',
      now: user.created_at,
    })
  }
  return row
}
