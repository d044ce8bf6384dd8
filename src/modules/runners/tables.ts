import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

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

export type RunnersTable = RunnerFacts & {
  id: Generated<number>
  runner_type: RunnerType
  /** The group of a runner of a group. */
  namespace_id: number | null
  creator_id: number | null
  token_digest: string
  token_expires_at: string | null
  description: string | null
  maintenance_note: string | null
  paused: boolean
  locked: boolean
  /** Whether it takes jobs without tags. */
  run_untagged: boolean
  access_level: (typeof accessLevels)[number]
  /** In seconds. */
  maximum_timeout: number | null
  tag_list: Json<readonly string[]>
  /** The name, address and facts are those of the last contact. */
  name: string | null
  ip_address: string | null
  contacted_at: string | null
  created_at: string
  updated_at: string
}

/** The projects to which a runner of projects is assigned; the first one owns it. */
export type RunnerProjectsTable = { id: Generated<number>; runner_id: number; project_id: number }

/** Programs that use the token of a runner, each with an identifier of its own. */
export type RunnerManagersTable = RunnerFacts & {
  id: Generated<number>
  runner_id: number
  system_id: string
  ip_address: string | null
  contacted_at: string | null
  created_at: string
}

export type RunnerRow = Selectable<RunnersTable>
export type NewRunnerRow = Insertable<RunnersTable>
export type RunnerRowChanges = Updateable<RunnersTable>
export type RunnerManagerRow = Selectable<RunnerManagersTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    runners: RunnersTable
    runner_projects: RunnerProjectsTable
    runner_managers: RunnerManagersTable
  }
}
