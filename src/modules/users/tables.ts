import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'
import type { Profile } from './accounts/params.ts'

/** States of an account (contract 20, User). */
export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'ldap_blocked' | 'blocked_pending_approval'

/** The purpose of a user that is not a person. */
export type BotKind = 'project_bot' | 'group_bot' | 'service_account' | 'ghost' | 'alert_bot' | 'automation_bot'

export type UsersTable = {
  id: Generated<number>
  username: string
  name: string
  email: string
  public_email: string | null
  state: UserState
  is_admin: Generated<boolean>
  external: Generated<boolean>
  private_profile: Generated<boolean>
  bot_kind: BotKind | null
  password_hash: string | null
  password_expired: Generated<boolean>
  confirmed_at: string | null
  failed_attempts: Generated<number>
  locked_until: string | null
  projects_limit: number
  can_create_group: boolean
  profile: Json<Profile>
  note: string | null
  avatar: string | null
  created_by_id: number | null
  /** The group that made the account: that of a service account (contract 12). */
  provisioned_by_group_id: number | null
  sign_in_count: Generated<number>
  current_sign_in_at: string | null
  last_sign_in_at: string | null
  current_sign_in_ip: string | null
  last_sign_in_ip: string | null
  last_activity_on: string | null
  created_at: string
  updated_at: string
  /** The group that has claimed the account by the domain of its address (contract 13). */
  enterprise_group_id: number | null
  /** When it did; says nothing without `enterprise_group_id`. */
  enterprise_group_associated_at: string | null
  two_factor_enabled: Generated<boolean>
  /** When the account was deleted; its row is deleted once the background work is done. */
  removed_at: string | null
}

export type IdentitiesTable = { id: Generated<number>; user_id: number; provider: string; extern_uid: string }

/** What a user says about the moment (contract 20, Status). */
export type UserStatusesTable = {
  user_id: number
  emoji: string
  message: string | null
  availability: Availability | null
  /** From when on the status is no longer shown. */
  clear_status_at: string | null
}

/** Secondary e-mail addresses; the primary one is in `users.email`. */
export type UserEmailsTable = {
  id: Generated<number>
  user_id: number
  email: string
  confirmed_at: string | null
  created_at: string
}

/** Users who may have no project: triggers append those who lose one, a job removes those who have one. */
export type UsersPerhapsWithoutProjectsTable = { id: Generated<number>; user_id: number }

export type UserFollowsTable = { id: Generated<number>; follower_id: number; followed_id: number }

export const availabilities = ['not_set', 'busy'] as const
export type Availability = (typeof availabilities)[number]

export type UserStatusRow = Selectable<UserStatusesTable>
export type UserEmailRow = Selectable<UserEmailsTable>
export type UserRow = Selectable<UsersTable>
export type IdentityRow = Selectable<IdentitiesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    users: UsersTable
    identities: IdentitiesTable
    user_statuses: UserStatusesTable
    user_emails: UserEmailsTable
    user_follows: UserFollowsTable
    users_perhaps_without_projects: UsersPerhapsWithoutProjectsTable
  }
}
