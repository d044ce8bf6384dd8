import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

const pipelines = ({ id, name }: Dialect) => [
  sql`create table pipelines (
    id ${id},
    project_id bigint not null references projects (id) on delete cascade,
    iid integer not null,
    sha text not null,
    before_sha text,
    ref ${name} not null,
    tag boolean not null default false,
    protected boolean not null default false,
    status text not null,
    source text not null,
    name text,
    yaml_errors text,
    schedule_id bigint,
    schedule_run text,
    push_id bigint,
    user_id bigint references users (id) on delete set null,
    started_at timestamptz,
    finished_at timestamptz,
    committed_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  sql`create unique index pipelines_iid_unique on pipelines (project_id, iid)`,
  sql`create unique index pipelines_external_unique on pipelines (project_id, sha, ref) where source = 'external'`,
  sql`create unique index pipelines_push_unique on pipelines (push_id, ref, tag) where push_id is not null`,
  sql`create index pipelines_order on pipelines (project_id, id)`,
  sql`create index pipelines_ref on pipelines (project_id, ref, id)`,
  sql`create unique index pipelines_run_unique on pipelines (schedule_id, schedule_run) where schedule_run is not null`,
  sql`create index pipelines_schedule on pipelines (schedule_id, id) where schedule_id is not null`,
  sql`create index pipelines_sha on pipelines (project_id, sha, id)`,
  sql`create index pipelines_user on pipelines (user_id)`,
  sql`create index pipelines_created on pipelines (created_at, id) where status = 'created'`,
  sql`create index pipelines_unfinished on pipelines (project_id, ref, id) where finished_at is null`,
  sql`create index pipelines_successful on pipelines (project_id, ref, id) where status = 'success'`,
  sql`create table pipeline_variables (
    id ${id},
    pipeline_id bigint not null references pipelines (id) on delete cascade,
    key ${name} not null,
    variable_type text not null,
    sealed_value text not null,
    raw boolean not null default false
  )`,
  sql`create unique index pipeline_variables_key_unique on pipeline_variables (pipeline_id, key)`,
]

const jobs = ({ id, name }: Dialect) => [
  sql`create table ci_jobs (
    id ${id},
    project_id bigint not null references projects (id) on delete cascade,
    pipeline_id bigint not null references pipelines (id) on delete cascade,
    external boolean not null,
    sha text not null,
    ref ${name} not null,
    stage text not null,
    stage_index integer not null default 0,
    name ${name} not null,
    status text not null,
    failure_reason text,
    target_url text,
    description text,
    coverage double precision,
    allow_failure boolean not null default false,
    retried boolean not null default false,
    retries integer not null default 0,
    uses_needs boolean not null default false,
    run_when text not null default 'on_success',
    start_at timestamptz,
    start_in_seconds integer,
    timeout_seconds integer,
    protected boolean not null default false,
    interruptible boolean not null default false,
    resource_group ${name},
    tag_list jsonb not null default '[]',
    user_id bigint references users (id) on delete set null,
    runner_id bigint,
    runner_manager_id bigint,
    token_digest text,
    cancels_gracefully boolean not null default false,
    heartbeat_at timestamptz,
    queued_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    erased_at timestamptz,
    artifacts_expire_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  sql`create unique index ci_jobs_latest_unique on ci_jobs (pipeline_id, name, external) where retried = false`,
  sql`create index ci_jobs_pipeline on ci_jobs (pipeline_id, id)`,
  sql`create index ci_jobs_order on ci_jobs (project_id, id)`,
  sql`create index ci_jobs_sha on ci_jobs (project_id, sha, id)`,
  sql`create index ci_jobs_sha_pipeline on ci_jobs (project_id, sha, pipeline_id, id)`,
  sql`create index ci_jobs_user on ci_jobs (user_id)`,
  sql`create unique index ci_jobs_token_unique on ci_jobs (token_digest) where token_digest is not null`,
  sql`create index ci_jobs_queue on ci_jobs (queued_at, id) where status = 'pending' and external = false`,
  sql`create index ci_jobs_running on ci_jobs (heartbeat_at, id) where status in ('running', 'canceling') and external = false`,
  sql`create index ci_jobs_running_runner on ci_jobs (runner_id, project_id) where status in ('running', 'canceling') and external = false`,
  sql`create index ci_jobs_delayed on ci_jobs (start_at, id) where status = 'scheduled'`,
  sql`create index ci_jobs_resource on ci_jobs (project_id, resource_group, id) where resource_group is not null`,
  sql`create index ci_jobs_runner on ci_jobs (runner_id, id) where runner_id is not null`,
  sql`create table ci_job_definitions (
    job_id bigint primary key references ci_jobs (id) on delete cascade,
    definition jsonb not null
  )`,
  sql`create table ci_job_needs (
    job_id bigint not null references ci_jobs (id) on delete cascade,
    name ${name} not null,
    artifacts boolean not null,
    optional boolean not null,
    primary key (job_id, name)
  )`,
  sql`create table ci_job_variables (
    job_id bigint not null references ci_jobs (id) on delete cascade,
    key ${name} not null,
    sealed_value text not null,
    from_report boolean not null,
    primary key (job_id, key, from_report)
  )`,
]

const files = ({ id }: Dialect) => [
  sql`create table ci_job_artifacts (
    id ${id},
    job_id bigint not null references ci_jobs (id) on delete cascade,
    project_id bigint not null references projects (id) on delete cascade,
    file_type text not null,
    file_format text not null,
    file_name text not null,
    size_bytes bigint not null,
    sha256 text not null,
    storage_key text not null,
    access_level text not null,
    expire_at timestamptz,
    created_at timestamptz not null
  )`,
  sql`create unique index ci_job_artifacts_type_unique on ci_job_artifacts (job_id, file_type)`,
  sql`create index ci_job_artifacts_project on ci_job_artifacts (project_id, id)`,
  sql`create index ci_job_artifacts_expiry on ci_job_artifacts (expire_at, id) where expire_at is not null`,
  sql`create table ci_job_traces (
    job_id bigint primary key references ci_jobs (id) on delete cascade,
    size_bytes bigint not null,
    storage_key text,
    read_at timestamptz
  )`,
  sql`create table ci_job_trace_chunks (
    job_id bigint not null references ci_jobs (id) on delete cascade,
    first_byte bigint not null,
    size_bytes bigint not null,
    storage_key text not null,
    primary key (job_id, first_byte)
  )`,
  sql`create table ci_triggers (
    id ${id},
    project_id bigint not null references projects (id) on delete cascade,
    owner_id bigint not null references users (id) on delete cascade,
    token_digest text not null,
    sealed_token text not null,
    token_start text not null,
    description text not null,
    last_used_at timestamptz,
    expires_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  sql`create unique index ci_triggers_token_unique on ci_triggers (token_digest)`,
  sql`create index ci_triggers_order on ci_triggers (project_id, id)`,
  sql`create index ci_triggers_owner on ci_triggers (owner_id)`,
]

/**
 * Pipelines with their jobs (contract 04). The statuses that external systems report (contract 22, Commit status) are jobs
 * without a definition; `external` is true for them. A job that was retried stays, marked `retried`.
 */
export const up = (dialect: Dialect) => [...pipelines(dialect), ...jobs(dialect), ...files(dialect)]
