import type { Generated, Selectable } from 'kysely'

/** States of a commit status (contract 22, Commit status). */
export const commitStates = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const
export type CommitState = (typeof commitStates)[number]

export type PipelinesTable = {
  id: Generated<number>
  project_id: number
  /** Number of the pipeline in its project. */
  iid: number
  sha: string
  /** Short name of a branch, or of a tag if `tag` is true. */
  ref: string
  tag: Generated<boolean>
  status: string
  /** Contract 04, Sources; `external` for pipelines of statuses that external systems report. */
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
  /** Whether a later status of the same name has replaced it. */
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
    pipelines: PipelinesTable
    commit_statuses: CommitStatusesTable
  }
}
