/**
 * Feature flags of projects with their strategies and scopes, lists of users, and the credential of Unleash clients (contract 24).
 * Deleting a project deletes all.
 */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const featureFlags = table(
  'feature_flags',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.name(),
    description: t.text().nullable(),
    active: t.boolean(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { name: ['project_id', 'name'] },
    indexes: { delivery: ['project_id', 'id'] },
  },
)

/** Lists of users, by the ids that applications have for them. */
export const featureFlagUserLists = table(
  'feature_flag_user_lists',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    iid: t.bigint(),
    name: t.name(),
    /** Joined by commas. */
    user_xids: t.text(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { iid: ['project_id', 'iid'], name: ['project_id', 'name'] },
    indexes: { order: ['project_id', 'id'] },
  },
)

/** For whom a flag is on. */
export const featureFlagStrategies = table(
  'feature_flag_strategies',
  {
    id: t.id(),
    feature_flag_id: t.refers('feature_flags', 'cascade'),
    name: t.text(),
    /** JSON text of an object of texts. */
    parameters: t.text(),
    /** Of the strategy `gitlabUserList`. A list in use is not deleted. */
    user_list_id: t.refers('feature_flag_user_lists', 'refuse').nullable(),
  },
  {
    indexes: { flag: ['feature_flag_id', 'id'], user_list: partial('user_list_id') },
  },
)

/** In which environments a strategy applies. A strategy has each scope once. */
export const featureFlagScopes = table(
  'feature_flag_scopes',
  {
    id: t.id(),
    strategy_id: t.refers('feature_flag_strategies', 'cascade'),
    /** Name of an environment; `*` is any text. */
    environment_scope: t.name(),
  },
  {
    indexes: { strategy: ['strategy_id', 'id'] },
  },
)

/** What Unleash clients of a project present, and the state of what they get. */
export const featureFlagClients = table(
  'feature_flag_clients',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** SHA-256 of the instance id. */
    instance_id_digest: t.text(),
    sealed_instance_id: t.text(),
    /** Replaced by every write to flags or lists: what was computed for another one is outdated. */
    generation: t.bigint().default(0),
    created_at: t.time(),
    last_used_at: t.time().nullable(),
  },
  {
    unique: { project: ['project_id'] },
  },
)

export type FlagRow = RowOf<typeof featureFlags>
export type UserListRow = RowOf<typeof featureFlagUserLists>
export type StrategyRow = RowOf<typeof featureFlagStrategies>
export type ScopeRow = RowOf<typeof featureFlagScopes>
export type FlagClientRow = RowOf<typeof featureFlagClients>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof featureFlags
      | typeof featureFlagUserLists
      | typeof featureFlagStrategies
      | typeof featureFlagScopes
      | typeof featureFlagClients
    > {}
}
