/**
 * Pipelines with their jobs (contract 04). The statuses that external systems report (contract 22, Commit status) are jobs
 * without a definition; `external` is true for them. A job that was retried stays, marked `retried`.
 */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
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

export const pipelines = table(
  'pipelines',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** Number of the pipeline in its project. */
    iid: t.integer(),
    sha: t.text(),
    /** Previous commit of the ref; null: none. */
    before_sha: t.text().nullable(),
    /** Short name of a branch, or of a tag if `tag` is true; `refs/merge-requests/<iid>/head` (or `…/train`) of merge requests, by `source`. */
    ref: t.name(),
    tag: t.boolean().default(false),
    /** Whether the ref was protected when the pipeline was created. */
    protected: t.boolean().default(false),
    status: t.text<CiState>(),
    /** Contract 04, Sources; `external` for pipelines of statuses that external systems report. */
    source: t.text(),
    name: t.text().nullable(),
    yaml_errors: t.text().nullable(),
    /** The schedule that created it; cleared when the schedule is deleted. */
    schedule_id: t.bigint().nullable(),
    /** Which run of the schedule; one pipeline for each. */
    schedule_run: t.text().nullable(),
    /** The push that created it. */
    push_id: t.bigint().nullable(),
    user_id: t.refers('users', 'set null').nullable(),
    started_at: t.time().nullable(),
    finished_at: t.time().nullable(),
    committed_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: {
      iid: ['project_id', 'iid'],
      external: { on: ['project_id', 'sha', 'ref'], where: "source = 'external'" },
      push: partial('push_id', 'ref', 'tag'),
      run: { on: ['schedule_id', 'schedule_run'], where: 'schedule_run is not null' },
    },
    indexes: {
      order: ['project_id', 'id'],
      ref: ['project_id', 'ref', 'id'],
      schedule: partial('schedule_id', 'id'),
      sha: ['project_id', 'sha', 'id'],
      user: ['user_id'],
      created: { on: ['created_at', 'id'], where: "status = 'created'" },
      unfinished: { on: ['project_id', 'ref', 'id'], where: 'finished_at is null' },
      successful: { on: ['project_id', 'ref', 'id'], where: "status = 'success'" },
      status: ['project_id', 'status', 'id'],
      source: ['project_id', 'source', 'id'],
      updated: ['project_id', 'updated_at', 'id'],
      created_at: ['project_id', 'created_at', 'id'],
      project_user: { on: ['project_id', 'user_id', 'id'], nullsLast: 'user_id' },
      named: { on: ['project_id', 'name', 'id'], where: 'name is not null' },
      invalid: { on: ['project_id', 'id'], where: 'yaml_errors is not null' },
      tag: ['project_id', 'tag', 'ref', 'id'],
      schedule_listed: partial('schedule_id', 'status', 'id', 'project_id', 'created_at', 'updated_at'),
    },
  },
)
export type PipelinesTable = TableOf<typeof pipelines>

/** Variables of a trigger, a schedule or a request, as they were when the pipeline was created. */
export const pipelineVariables = table(
  'pipeline_variables',
  {
    id: t.id(),
    pipeline_id: t.refers('pipelines', 'cascade'),
    key: t.name(),
    variable_type: t.text<'env_var' | 'file'>(),
    sealed_value: t.text(),
    raw: t.boolean().default(false),
  },
  {
    unique: { key: ['pipeline_id', 'key'] },
  },
)
export type PipelineVariablesTable = TableOf<typeof pipelineVariables>

/** Jobs of pipelines, and the statuses that external systems report. */
export const ciJobs = table(
  'ci_jobs',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    pipeline_id: t.refers('pipelines', 'cascade'),
    /** Whether an external system reports it. */
    external: t.boolean(),
    sha: t.text(),
    ref: t.name(),
    stage: t.text(),
    /** Position of the stage in the pipeline. */
    stage_index: t.integer().default(0),
    name: t.name(),
    status: t.text<CiState>(),
    failure_reason: t.text().nullable(),
    target_url: t.text().nullable(),
    description: t.text().nullable(),
    coverage: t.float().nullable(),
    allow_failure: t.boolean().default(false),
    /** Whether a later job of the same name has replaced it. */
    retried: t.boolean().default(false),
    /** Number of automatic retries before this job. */
    retries: t.integer().default(0),
    /** Whether it waits for its needs instead of all earlier stages. */
    uses_needs: t.boolean().default(false),
    /** `on_success`, `on_failure`, `always`, `manual` or `delayed`. */
    run_when: t.text<JobWhen>().default('on_success'),
    /** When a delayed job is due, and its delay. */
    start_at: t.time().nullable(),
    start_in_seconds: t.integer().nullable(),
    timeout_seconds: t.integer().nullable(),
    protected: t.boolean().default(false),
    interruptible: t.boolean().default(false),
    resource_group: t.name().nullable(),
    tag_list: t.json<readonly string[]>().default('[]'),
    user_id: t.refers('users', 'set null').nullable(),
    runner_id: t.bigint().nullable(),
    runner_manager_id: t.bigint().nullable(),
    /** Digest of the job token; null before the job is taken. It opens nothing after the job has ended. */
    token_digest: t.text().nullable(),
    /** Whether the runner announced `cancel_gracefully`. */
    cancels_gracefully: t.boolean().default(false),
    heartbeat_at: t.time().nullable(),
    queued_at: t.time().nullable(),
    started_at: t.time().nullable(),
    finished_at: t.time().nullable(),
    erased_at: t.time().nullable(),
    artifacts_expire_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
    /** Name of its environment, with the variables replaced that are known when it is created; null: none. */
    environment: t.name().nullable(),
    /** Whether the project was frozen when the job was created (contract 24, freezes). */
    frozen: t.boolean().default(false),
  },
  {
    unique: {
      latest: { on: ['pipeline_id', 'name', 'external'], where: 'retried = false' },
      token: partial('token_digest'),
    },
    indexes: {
      pipeline: ['pipeline_id', 'id'],
      order: ['project_id', 'id'],
      sha: ['project_id', 'sha', 'id'],
      sha_pipeline: ['project_id', 'sha', 'pipeline_id', 'id'],
      user: ['user_id'],
      queue: { on: ['queued_at', 'id'], where: "status = 'pending' and external = false" },
      running: { on: ['heartbeat_at', 'id'], where: "status in ('running', 'canceling') and external = false" },
      running_runner: {
        on: ['runner_id', 'project_id'],
        where: "status in ('running', 'canceling') and external = false",
      },
      delayed: { on: ['start_at', 'id'], where: "status = 'scheduled'" },
      resource: { on: ['project_id', 'resource_group', 'id'], where: 'resource_group is not null' },
      runner: partial('runner_id', 'id'),
      listed: { on: ['project_id', 'status', 'id'], where: 'external = false' },
      order_internal: { on: ['project_id', 'id'], where: 'external = false' },
      listed_retried: { on: ['pipeline_id', 'project_id', 'retried', 'id'], where: 'external = false' },
      listed_runner: partial('runner_id', 'status', 'id'),
      manager: partial('runner_manager_id', 'id'),
      runner_read: partial('runner_id', 'status', 'project_id'),
    },
  },
)
export type CiJobsTable = TableOf<typeof ciJobs>

/** In which order the jobs of a resource group get the resource (contract 24, Resource groups). */
export const processModes = ['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'] as const
export type ProcessMode = (typeof processModes)[number]

/** The resource groups that jobs of a project have named. */
export const ciResourceGroups = table(
  'ci_resource_groups',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    key: t.name(),
    process_mode: t.text<ProcessMode>().default('unordered'),
    created_at: t.time(),
    updated_at: t.time(),
  },
  { unique: { key: ['project_id', 'key'] }, indexes: { order: ['project_id', 'id'] } },
)

/** What a job does, as the runner receives it. */
export const ciJobDefinitions = table('ci_job_definitions', {
  job_id: t.refers('ci_jobs', 'cascade').primaryKey(),
  definition: t.json<JobDefinition>(),
})

export const ciJobNeeds = table(
  'ci_job_needs',
  {
    job_id: t.refers('ci_jobs', 'cascade'),
    name: t.name(),
    artifacts: t.boolean(),
    optional: t.boolean(),
  },
  {
    primaryKey: ['job_id', 'name'],
  },
)

/** Variables given when a manual job was played, and those of `dotenv` reports of the job. */
export const ciJobVariables = table(
  'ci_job_variables',
  {
    job_id: t.refers('ci_jobs', 'cascade'),
    key: t.name(),
    sealed_value: t.text(),
    from_report: t.boolean(),
  },
  {
    primaryKey: ['job_id', 'key', 'from_report'],
  },
)
export type CiJobVariablesTable = TableOf<typeof ciJobVariables>

export const ciJobArtifacts = table(
  'ci_job_artifacts',
  {
    id: t.id(),
    job_id: t.refers('ci_jobs', 'cascade'),
    project_id: t.refers('projects', 'cascade'),
    /** `archive`, `metadata`, `junit`, `dotenv` … */
    file_type: t.text(),
    /** `zip`, `gzip` or `raw`. */
    file_format: t.text(),
    file_name: t.text(),
    size_bytes: t.bigint(),
    sha256: t.text(),
    storage_key: t.text(),
    /** `all`, `developer` or `none`. */
    access_level: t.text(),
    /** Null: kept. */
    expire_at: t.time().nullable(),
    created_at: t.time(),
  },
  {
    unique: { type: ['job_id', 'file_type'] },
    indexes: { project: ['project_id', 'id'], expiry: partial('expire_at', 'id') },
  },
)

/** Logs. `storage_key` is set when the chunks were joined after the job's end. */
export const ciJobTraces = table('ci_job_traces', {
  job_id: t.refers('ci_jobs', 'cascade').primaryKey(),
  size_bytes: t.bigint(),
  storage_key: t.text().nullable(),
  read_at: t.time().nullable(),
})

export const ciJobTraceChunks = table(
  'ci_job_trace_chunks',
  {
    job_id: t.refers('ci_jobs', 'cascade'),
    first_byte: t.bigint(),
    size_bytes: t.bigint(),
    storage_key: t.text(),
  },
  {
    primaryKey: ['job_id', 'first_byte'],
  },
)
export type CiJobTraceChunksTable = TableOf<typeof ciJobTraceChunks>

export const ciTriggers = table(
  'ci_triggers',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    owner_id: t.refers('users', 'cascade'),
    token_digest: t.text(),
    sealed_token: t.text(),
    /** The first four characters, for those who may not see it whole. */
    token_start: t.text(),
    description: t.text(),
    last_used_at: t.time().nullable(),
    expires_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { token: ['token_digest'] },
    indexes: { order: ['project_id', 'id'], owner: ['owner_id'] },
  },
)

export type PipelineRow = RowOf<typeof pipelines>
export type PipelineVariableRow = RowOf<typeof pipelineVariables>
export type CiJobRow = RowOf<typeof ciJobs>
export type ResourceGroupRow = RowOf<typeof ciResourceGroups>
export type CiJobArtifactRow = RowOf<typeof ciJobArtifacts>
export type CiTriggerRow = RowOf<typeof ciTriggers>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof pipelines
      | typeof pipelineVariables
      | typeof ciJobs
      | typeof ciResourceGroups
      | typeof ciJobDefinitions
      | typeof ciJobNeeds
      | typeof ciJobVariables
      | typeof ciJobArtifacts
      | typeof ciJobTraces
      | typeof ciJobTraceChunks
      | typeof ciTriggers
    > {}
}
