import { sql } from 'kysely'
import { type ListContext, onIndex, type Predicate, testColumn } from '../../../../infra/database/index.ts'
import type { UserState } from '../../tables.ts'
import { isWithoutProjects } from './without-projects.ts'

/** All states but `active`, which most users have. */
const inactiveStates = Object.keys({
  blocked: true,
  deactivated: true,
  banned: true,
  ldap_blocked: true,
  blocked_pending_approval: true,
} satisfies Record<Exclude<UserState, 'active'>, true>)

type FlagFilter = (context: ListContext) => Predicate

/** Users in one of these states. */
const inState =
  (...states: readonly string[]): FlagFilter =>
  (context) =>
    onIndex(context, 'state', (column) => sql<boolean>`${column} in (${sql.join(states.map((one) => sql.lit(one)))})`)

/** Users of whom a column is true, as few are. */
const isTrue =
  (name: string): FlagFilter =>
  (context) =>
    onIndex(context, name, (column) => sql<boolean>`${column}`)

const isHuman: FlagFilter = (context) => testColumn(context, 'bot_kind', (column) => sql<boolean>`${column} is null`)

/** Users who are no bot of one of these kinds. */
const isNoBot =
  (...kinds: readonly string[]): FlagFilter =>
  (context) =>
    testColumn(
      context,
      'bot_kind',
      (column) => sql<boolean>`${column} is null or ${column} not in (${sql.join(kinds.map((kind) => sql.lit(kind)))})`,
    )

/** Users but accounts of the instance. */
export const isNotInternal = isNoBot('ghost', 'alert_bot', 'automation_bot')

const isActive: FlagFilter = () => ({ holds: sql<boolean>`(users.state = 'active' and users.bot_kind is null)` })

const withoutProjects: FlagFilter = () => ({
  holds: isWithoutProjects('users.id'),
  driver: { ids: sql`select user_id as id from users_perhaps_without_projects` },
})

const withoutLdap: FlagFilter = () => ({
  holds: sql<boolean>`not exists (select 1 from identities i where i.user_id = users.id and i.provider like 'ldap%')`,
})

/** Filters that are on or off (contract 20, x.users_list). */
export const flags = {
  active: isActive,
  blocked: inState('blocked', 'ldap_blocked'),
  external: isTrue('external'),
  humans: isHuman,
  exclude_active: inState(...inactiveStates),
  exclude_external: (context) => testColumn(context, 'external', (column) => sql<boolean>`not ${column}`),
  exclude_humans: (context) => onIndex(context, 'bot_kind', (column) => sql<boolean>`${column} is not null`),
  exclude_internal: isNotInternal,
  without_project_bots: isNoBot('project_bot', 'group_bot'),
} satisfies Record<string, FlagFilter>

/** Those of administrators; ignored for other callers. */
export const administratorFlags = {
  without_projects: withoutProjects,
  admins: isTrue('is_admin'),
  skip_ldap: withoutLdap,
} satisfies Record<string, FlagFilter>

export type Flag = keyof typeof flags | keyof typeof administratorFlags

export const sortColumns = ['id', 'name', 'username', 'created_at', 'updated_at'] as const
export type SortColumn = (typeof sortColumns)[number]
