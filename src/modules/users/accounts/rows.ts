import type { Tx } from '../../../infra/database/index.ts'
import { insertNamespace } from '../../namespaces/index.ts'
import { insertUser } from '../store.ts'
import type { BotKind, Profile, UserRow } from '../tables.ts'

export type NewUserRow = {
  username: string
  name: string
  email: string
  passwordHash?: string | null
  isAdmin?: boolean
  external?: boolean
  privateProfile?: boolean
  botKind?: BotKind
  confirmedAt: string | null
  projectsLimit: number
  canCreateGroup?: boolean
  publicEmail?: string | null
  profile?: Profile
  note?: string | null
  createdById?: number | null
  now: string
}

/**
 * Creates a user, and its personal namespace unless it is a bot (contract 20, x.users_create).
 * @throws UniqueViolation of `users_email_unique`, `users_username_unique`, or of the path when a group has it
 */
export async function createUserRows(tx: Tx, user: NewUserRow): Promise<UserRow> {
  const row = await insertUser(tx, {
    username: user.username,
    name: user.name,
    email: user.email,
    public_email: user.publicEmail ?? null,
    state: 'active',
    is_admin: user.isAdmin ?? false,
    external: user.external ?? false,
    private_profile: user.privateProfile ?? false,
    bot_kind: user.botKind ?? null,
    password_hash: user.passwordHash ?? null,
    confirmed_at: user.confirmedAt,
    projects_limit: user.projectsLimit,
    can_create_group: user.canCreateGroup ?? true,
    profile: JSON.stringify(user.profile ?? {}),
    note: user.note ?? null,
    created_by_id: user.createdById ?? null,
    created_at: user.now,
    updated_at: user.now,
  })
  if (!user.botKind || user.botKind === 'service_account') {
    await insertNamespace(tx, {
      kind: 'user',
      name: user.name,
      path: user.username,
      parent: null,
      ownerId: row.id,
      visibility: 'public',
      now: user.now,
    })
  }
  return row
}
