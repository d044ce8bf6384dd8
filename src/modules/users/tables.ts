/** User accounts with their identities at external providers, statuses, addresses, and whom they follow (contract 20). */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { Profile } from './accounts/params.ts'
import { withoutProjectsTriggers } from './without-projects-triggers.ts'

/** States of an account (contract 20, User). */
export type UserState = 'active' | 'blocked' | 'deactivated' | 'banned' | 'ldap_blocked' | 'blocked_pending_approval'

/** The purpose of a user that is not a person. */
export type BotKind = 'project_bot' | 'group_bot' | 'service_account' | 'ghost' | 'alert_bot' | 'automation_bot'

export const users = table(
  'users',
  {
    id: t.id(),
    username: t.name(),
    name: t.name(),
    email: t.name(),
    public_email: t.name().nullable(),
    state: t.text<UserState>().default('active'),
    is_admin: t.boolean().default(false),
    external: t.boolean().default(false),
    private_profile: t.boolean().default(false),
    bot_kind: t.text<BotKind>().nullable(),
    password_hash: t.text().nullable(),
    password_expired: t.boolean().default(false),
    confirmed_at: t.time().nullable(),
    failed_attempts: t.integer().default(0),
    locked_until: t.time().nullable(),
    projects_limit: t.integer(),
    can_create_group: t.boolean().default(true),
    profile: t.json<Profile>().default('{}'),
    note: t.text().nullable(),
    avatar: t.text().nullable(),
    created_by_id: t.refers('users', 'set null').nullable(),
    sign_in_count: t.integer().default(0),
    current_sign_in_at: t.time().nullable(),
    current_sign_in_ip: t.text().nullable(),
    last_sign_in_at: t.time().nullable(),
    last_sign_in_ip: t.text().nullable(),
    last_activity_on: t.date().nullable(),
    /** When the account was deleted; its row is deleted once the background work is done. */
    removed_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
    /** The group that made the account: that of a service account (contract 12). */
    provisioned_by_group_id: t.refers('namespaces', 'set null').nullable(),
    /** The group that has claimed the account by the domain of its address (contract 13). */
    enterprise_group_id: t.refers('namespaces', 'set null').nullable(),
    /** When it did; says nothing without `enterprise_group_id`. */
    enterprise_group_associated_at: t.time().nullable(),
    two_factor_enabled: t.boolean().default(false),
    /** The project that made the account: that of a service account (contract 26.9). */
    provisioned_by_project_id: t.refers('projects', 'set null').nullable(),
    /** When a second factor was first demanded of a session of the user; from then on the grace period runs. */
    second_factor_demanded_at: t.time().nullable(),
  },
  {
    unique: { username: ['lower(username)'], email: ['lower(email)'] },
    indexes: {
      public_email: ['public_email'],
      created_by: ['created_by_id'],
      bots: partial('bot_kind'),
      admins: { on: ['id'], where: 'is_admin' },
      external: { on: ['id'], where: 'external' },
      state: ['state', 'id'],
      name: ['name', 'id'],
      lower_name: ['lower(name)'],
      lower_public_email: ['lower(public_email)'],
      created_at: ['created_at', 'id'],
      updated_at: ['updated_at', 'id'],
      last_activity: ['last_activity_on', 'id'],
      sign_in: partial('current_sign_in_at'),
      provisioned_by: partial('provisioned_by_group_id', 'id', 'removed_at', 'bot_kind'),
      provisioned_by_project: partial('provisioned_by_project_id', 'id', 'removed_at', 'bot_kind'),
      unconfirmed: { on: ['id'], where: 'confirmed_at is null and bot_kind is null' },
      leaving: { on: ['id'], where: 'removed_at is not null' },
      two_factor: { on: ['id'], where: 'two_factor_enabled' },
      username: ['username', 'id'],
      bots_named: partial('bot_kind', 'username', 'id'),
      inactive: { on: ['id'], where: "state <> 'active' or removed_at is not null", engine: 'postgres' },
      enterprise: partial('enterprise_group_id', 'id', 'removed_at', 'state', 'created_at', 'two_factor_enabled'),
    },
    text: ['username', 'name', 'public_email'],
  },
)
export type UsersTable = TableOf<typeof users>

export const identities = table(
  'identities',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    provider: t.text(),
    extern_uid: t.text(),
  },
  {
    unique: { extern_uid: ['provider', 'extern_uid'], user: ['user_id', 'provider'] },
  },
)

/** What a user says about the moment (contract 20, Status). */
export const userStatuses = table('user_statuses', {
  user_id: t.refers('users', 'cascade').primaryKey(),
  emoji: t.text(),
  message: t.text().nullable(),
  availability: t.text<Availability>().nullable(),
  /** From when on the status is no longer shown. */
  clear_status_at: t.time().nullable(),
})

/** Secondary e-mail addresses; the primary one is in `users.email`. */
export const userEmails = table(
  'user_emails',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    email: t.name(),
    confirmed_at: t.time().nullable(),
    created_at: t.time(),
  },
  {
    unique: { email: ['lower(email)'] },
    indexes: { user: ['user_id', 'id'] },
  },
)

/** The secret from which an account's codes follow; it is in use while `users.two_factor_enabled` is set. */
export const twoFactors = table('two_factors', {
  user_id: t.refers('users', 'cascade').primaryKey(),
  sealed_secret: t.text(),
  /** The time step of the last code that was accepted: no code is accepted twice. */
  last_step: t.bigint().nullable(),
  created_at: t.time(),
})

/** Codes that replace one of the second factor, each once. */
export const recoveryCodes = table(
  'recovery_codes',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    digest: t.text(),
  },
  {
    unique: { digest: ['user_id', 'digest'] },
  },
)

/** Users who may have no project: triggers append those who lose one, a job removes those who have one. */
export const usersPerhapsWithoutProjects = table(
  'users_perhaps_without_projects',
  {
    id: t.id(),
    /** No foreign key: a row is appended while the user is deleted. */
    user_id: t.bigint(),
  },
  {
    indexes: { user: ['user_id'] },
    triggers: withoutProjectsTriggers,
  },
)

export const userFollows = table(
  'user_follows',
  {
    id: t.id(),
    follower_id: t.refers('users', 'cascade'),
    followed_id: t.refers('users', 'cascade'),
  },
  {
    unique: ['follower_id', 'followed_id'],
    indexes: { follower: ['follower_id', 'id'], followed: ['followed_id', 'id'] },
  },
)

export const availabilities = ['not_set', 'busy'] as const
export type Availability = (typeof availabilities)[number]

export type UserStatusRow = RowOf<typeof userStatuses>
export type UserEmailRow = RowOf<typeof userEmails>
export type UserRow = RowOf<typeof users>
export type IdentityRow = RowOf<typeof identities>
export type TwoFactorRow = RowOf<typeof twoFactors>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof users
      | typeof identities
      | typeof userStatuses
      | typeof userEmails
      | typeof twoFactors
      | typeof recoveryCodes
      | typeof usersPerhapsWithoutProjects
      | typeof userFollows
    > {}
}
