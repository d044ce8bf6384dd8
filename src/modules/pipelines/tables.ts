import type { Generated, Selectable } from 'kysely'

/** Statuses that other systems may give to a commit (contract 22, Commit status). */
export const commitStates = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const
export type CommitState = (typeof commitStates)[number]

/** The last number given to a thing of some kind within a project; `pipelines` here. */
export type InternalIdsTable = { project_id: number; kind: string; last_value: number }

export type PipelinesTable = {
  id: Generated<number>
  project_id: number
  /** Counts the pipelines of the project. */
  iid: number
  sha: string
  /** Short name of a branch, or of a tag where `tag` says so. */
  ref: string
  tag: Generated<boolean>
  status: string
  /** What it came from (contract 04, Sources); `external` when other systems give the statuses. */
  source: string
  user_id: number | null
  started_at: string | null
  finished_at: string | null
  created_at: string
  updated_at: string
}

export type CommitStatusesTable = {
  id: Generated<number>
  project_id: number
  pipeline_id: number
  sha: string
  ref: string
  stage: string
  name: string
  status: CommitState
  target_url: string | null
  description: string | null
  coverage: number | null
  allow_failure: Generated<boolean>
  /** Another status of the same name has taken its place. */
  retried: Generated<boolean>
  user_id: number | null
  started_at: string | null
  finished_at: string | null
  created_at: string
  updated_at: string
}

export type PipelineRow = Selectable<PipelinesTable>
export type CommitStatusRow = Selectable<CommitStatusesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    internal_ids: InternalIdsTable
    pipelines: PipelinesTable
    commit_statuses: CommitStatusesTable
  }
}
