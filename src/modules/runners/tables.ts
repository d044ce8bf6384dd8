/** Runners, the projects they are assigned to, and the machines that use a runner's token (contract 04). */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const runnerTypes = ['instance_type', 'group_type', 'project_type'] as const
export type RunnerType = (typeof runnerTypes)[number]

export const accessLevels = ['not_protected', 'ref_protected'] as const

/** What a program that takes jobs says about itself. */
export type RunnerFacts = {
  version: string | null
  revision: string | null
  platform: string | null
  architecture: string | null
  executor: string | null
}

export const runners = table(
  'runners',
  {
    id: t.id(),
    runner_type: t.text<RunnerType>(),
    /** The group of a runner of a group. */
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    creator_id: t.refers('users', 'set null').nullable(),
    token_digest: t.text(),
    token_expires_at: t.time().nullable(),
    description: t.text().nullable(),
    maintenance_note: t.text().nullable(),
    paused: t.boolean(),
    locked: t.boolean(),
    /** Whether it takes jobs without tags. */
    run_untagged: t.boolean(),
    access_level: t.text<(typeof accessLevels)[number]>(),
    /** In seconds. */
    maximum_timeout: t.bigint().nullable(),
    tag_list: t.json<readonly string[]>(),
    /** The name, address and facts are those of the last contact. */
    name: t.text().nullable(),
    version: t.name().nullable(),
    revision: t.text().nullable(),
    platform: t.text().nullable(),
    architecture: t.text().nullable(),
    executor: t.text().nullable(),
    ip_address: t.text().nullable(),
    contacted_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { token: ['token_digest'] },
    indexes: {
      creator: partial('creator_id'),
      namespace: partial('namespace_id', 'id', 'paused'),
      type: ['runner_type', 'id', 'paused', 'namespace_id'],
    },
  },
)

/** The projects to which a runner of projects is assigned; the first one owns it. */
export const runnerProjects = table(
  'runner_projects',
  {
    id: t.id(),
    runner_id: t.refers('runners', 'cascade'),
    project_id: t.refers('projects', 'cascade'),
  },
  {
    unique: ['runner_id', 'project_id'],
    indexes: { project: ['project_id', 'runner_id'] },
  },
)

/** Programs that use the token of a runner, each with an identifier of its own. */
export const runnerManagers = table(
  'runner_managers',
  {
    id: t.id(),
    runner_id: t.refers('runners', 'cascade'),
    system_id: t.name(),
    version: t.text().nullable(),
    revision: t.text().nullable(),
    platform: t.text().nullable(),
    architecture: t.text().nullable(),
    executor: t.text().nullable(),
    ip_address: t.text().nullable(),
    contacted_at: t.time().nullable(),
    created_at: t.time(),
  },
  {
    unique: ['runner_id', 'system_id'],
  },
)
export type RunnerManagersTable = TableOf<typeof runnerManagers>

export type RunnerRow = RowOf<typeof runners>
export type RunnerManagerRow = RowOf<typeof runnerManagers>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof runners | typeof runnerProjects | typeof runnerManagers> {}
}
