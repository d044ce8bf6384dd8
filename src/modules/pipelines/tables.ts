import type { ColumnType, Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'
import type { JobDefinition, JobWhen } from '../ci-config/index.ts'

/** States of a commit status (contract 22, Commit status). */
export const commitStates = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const
export type CommitState = (typeof commitStates)[number]

/** States of pipelines and jobs (contract 04, Statuses). */
export const ciStates = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const
export type CiState = (typeof ciStates)[number]

/** A JSON column with a default. */
type GeneratedJson<T> = ColumnType<T, string | undefined, string>

export type PipelinesTable = {
  id: Generated<number>
  project_id: number
  /** Number of the pipeline in its project. */
  iid: number
  sha: string
  /** Previous commit of the ref; null: none. */
  before_sha: Generated<string | null>
  /** Short name of a branch, or of a tag if `tag` is true. */
  ref: string
  tag: Generated<boolean>
  /** Whether the ref was protected when the pipeline was created. */
  protected: Generated<boolean>
  status: CiState
  /** Contract 04, Sources; `external` for pipelines of statuses that external systems report. */
  source: string
  name: Generated<string | null>
  yaml_errors: Generated<string | null>
  /** The schedule that created it; cleared when the schedule is deleted. */
  schedule_id: Generated<number | null>
  /** Which run of the schedule; one pipeline for each. */
  schedule_run: Generated<string | null>
  /** The push that created it. */
  push_id: Generated<number | null>
  user_id: number | null
  started_at: string | null
  finished_at: string | null
  committed_at: Generated<string | null>
  created_at: string
  updated_at: string
}

/** Variables of a trigger, a schedule or a request, as they were when the pipeline was created. */
export type PipelineVariablesTable = {
  id: Generated<number>
  pipeline_id: number
  key: string
  variable_type: 'env_var' | 'file'
  sealed_value: string
  raw: Generated<boolean>
}

/** Jobs of pipelines, and the statuses that external systems report. */
export type CiJobsTable = {
  id: Generated<number>
  project_id: number
  pipeline_id: number
  /** Whether an external system reports it. */
  external: boolean
  sha: string
  ref: string
  stage: string
  /** Position of the stage in the pipeline. */
  stage_index: Generated<number>
  name: string
  status: CiState
  failure_reason: Generated<string | null>
  target_url: string | null
  description: string | null
  coverage: number | null
  allow_failure: Generated<boolean>
  /** Whether a later job of the same name has replaced it. */
  retried: Generated<boolean>
  /** Number of automatic retries before this job. */
  retries: Generated<number>
  /** Whether it waits for its needs instead of all earlier stages. */
  uses_needs: Generated<boolean>
  /** `on_success`, `on_failure`, `always`, `manual` or `delayed`. */
  run_when: Generated<JobWhen>
  /** When a delayed job is due, and its delay. */
  start_at: Generated<string | null>
  start_in_seconds: Generated<number | null>
  timeout_seconds: Generated<number | null>
  protected: Generated<boolean>
  interruptible: Generated<boolean>
  resource_group: Generated<string | null>
  tag_list: GeneratedJson<readonly string[]>
  user_id: number | null
  runner_id: Generated<number | null>
  runner_manager_id: Generated<number | null>
  /** Digest of the job token; null before the job is taken. It opens nothing after the job has ended. */
  token_digest: Generated<string | null>
  /** Whether the runner announced `cancel_gracefully`. */
  cancels_gracefully: Generated<boolean>
  heartbeat_at: Generated<string | null>
  queued_at: Generated<string | null>
  started_at: string | null
  finished_at: string | null
  erased_at: Generated<string | null>
  artifacts_expire_at: Generated<string | null>
  created_at: string
  updated_at: string
}

/** What a job does, as the runner receives it. */
export type CiJobDefinitionsTable = { job_id: number; definition: Json<JobDefinition> }

export type CiJobNeedsTable = { job_id: number; name: string; artifacts: boolean; optional: boolean }

/** Variables given when a manual job was played, and those of `dotenv` reports of the job. */
export type CiJobVariablesTable = { job_id: number; key: string; sealed_value: string; from_report: boolean }

export type CiJobArtifactsTable = {
  id: Generated<number>
  job_id: number
  project_id: number
  /** `archive`, `metadata`, `junit`, `dotenv` … */
  file_type: string
  /** `zip`, `gzip` or `raw`. */
  file_format: string
  file_name: string
  size_bytes: number
  sha256: string
  storage_key: string
  /** `all`, `developer` or `none`. */
  access_level: string
  /** Null: kept. */
  expire_at: string | null
  created_at: string
}

/** Logs. `storage_key` is set when the chunks were joined after the job's end. */
export type CiJobTracesTable = {
  job_id: number
  size_bytes: number
  storage_key: string | null
  read_at: Generated<string | null>
}

export type CiJobTraceChunksTable = { job_id: number; first_byte: number; size_bytes: number; storage_key: string }

export type CiTriggersTable = {
  id: Generated<number>
  project_id: number
  owner_id: number
  token_digest: string
  sealed_token: string
  /** The first four characters, for those who may not see it whole. */
  token_start: string
  description: string
  last_used_at: Generated<string | null>
  expires_at: string | null
  created_at: string
  updated_at: string
}

export type PipelineRow = Selectable<PipelinesTable>
export type PipelineVariableRow = Selectable<PipelineVariablesTable>
export type CiJobRow = Selectable<CiJobsTable>
export type CiJobArtifactRow = Selectable<CiJobArtifactsTable>
export type CiTriggerRow = Selectable<CiTriggersTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    pipelines: PipelinesTable
    pipeline_variables: PipelineVariablesTable
    ci_jobs: CiJobsTable
    ci_job_definitions: CiJobDefinitionsTable
    ci_job_needs: CiJobNeedsTable
    ci_job_variables: CiJobVariablesTable
    ci_job_artifacts: CiJobArtifactsTable
    ci_job_traces: CiJobTracesTable
    ci_job_trace_chunks: CiJobTraceChunksTable
    ci_triggers: CiTriggersTable
  }
}
