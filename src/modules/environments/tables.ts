/** Environments of projects, to which jobs deploy (contract 24, Environment). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The kinds of environments (contract 24, Tier). */
export const tiers = ['production', 'staging', 'testing', 'development', 'other'] as const
export type Tier = (typeof tiers)[number]

export const environmentStates = ['available', 'stopping', 'stopped'] as const
export type EnvironmentState = (typeof environmentStates)[number]

/** Whether an environment that is due is stopped always, or only if a job stops it. */
export const autoStopSettings = ['always', 'with_action'] as const

export const environments = table(
  'environments',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.name(),
    slug: t.name(),
    external_url: t.text().nullable(),
    tier: t.text<Tier>(),
    state: t.text<EnvironmentState>().default('available'),
    description: t.text().nullable(),
    auto_stop_setting: t.text<(typeof autoStopSettings)[number]>().default('always'),
    auto_stop_at: t.time().nullable(),
    /** Since when its stop job is waited for; null in other states. */
    stopping_since: t.time().nullable(),
    /** When a stopped review app is deleted; null: not scheduled. */
    delete_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { name: ['project_id', 'name'], slug: ['project_id', 'slug'] },
    indexes: {
      order: ['project_id', 'id'],
      state: ['project_id', 'state', 'id'],
      auto_stop: partial('auto_stop_at', 'id'),
      stopping: partial('stopping_since', 'id'),
      deletion: partial('delete_at', 'id'),
    },
  },
)
export type EnvironmentRow = RowOf<typeof environments>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof environments> {}
}
