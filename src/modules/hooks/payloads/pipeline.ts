import { mergeRequestByIid } from '../../merge-requests/index.ts'
import {
  artifactsOfJobs,
  type CiJobRow,
  latestJobsOf,
  openVariables,
  type PipelineRow,
  requestIidOf,
  retriesOf,
  variablesOf,
} from '../../pipelines/index.ts'
import { type RunnerRow, runnersByIds } from '../../runners/index.ts'
import type { Completion } from '../tables.ts'
import { mergeRequestSummary } from './merge-request.ts'
import {
  type Building,
  type NamedProject,
  projectPayload,
  pushedRepositoryPayload,
  type UserPayload,
  userPayloads,
  utc,
  webUrl,
} from './parts.ts'

const secondsBetween = (from: string | null, to: string | null) =>
  from === null || to === null ? null : (Date.parse(to) - Date.parse(from)) / 1000

const zeros = '0'.repeat(40)

/** Jobs that a payload shows. */
export const mostJobs = 1_000

function runnerPayload(runner: RunnerRow) {
  return {
    id: runner.id,
    description: runner.description,
    runner_type: runner.runner_type,
    active: !runner.paused,
    is_shared: runner.runner_type === 'instance_type',
    tags: runner.tag_list,
  }
}

/** What jobs of a pipeline show besides their rows. */
async function jobParts(building: Building, jobs: readonly CiJobRow[]) {
  const { db } = building
  const users = await userPayloads(building, [...new Set(jobs.map(({ user_id }) => user_id))])
  const runnerIds = jobs.flatMap(({ runner_id }) => runner_id ?? [])
  const runners = new Map((await runnersByIds(db, runnerIds)).map((row) => [row.id, runnerPayload(row)]))
  return { users, runners }
}

/** A job as the events of its pipeline show it. */
function buildPayload(
  job: CiJobRow,
  { users, runners }: Awaited<ReturnType<typeof jobParts>>,
  archive: { file_name: string; size_bytes: number } | undefined,
) {
  return {
    id: job.id,
    stage: job.stage,
    name: job.name,
    status: job.status,
    created_at: utc(job.created_at),
    started_at: utc(job.started_at),
    finished_at: utc(job.finished_at),
    duration: secondsBetween(job.started_at, job.finished_at),
    queued_duration: secondsBetween(job.queued_at, job.started_at),
    failure_reason: job.failure_reason,
    when: job.run_when,
    manual: job.run_when === 'manual',
    allow_failure: job.allow_failure,
    user: job.user_id === null ? null : (users.get(job.user_id) ?? null),
    runner: job.runner_id === null ? null : (runners.get(job.runner_id) ?? null),
    artifacts_file: { filename: archive?.file_name ?? null, size: archive?.size_bytes ?? null },
    environment: null,
  }
}

export function pipelineCommitAt(row: PipelineRow): Completion {
  return { path: ['commit'], projectId: row.project_id, sha: row.sha, form: 'commit' }
}

/** The merge request for which a pipeline runs; null for others. */
async function requestOfPipeline(building: Building, project: NamedProject, pipeline: PipelineRow) {
  const iid = requestIidOf(pipeline)
  const row = iid === null ? null : await mergeRequestByIid(building.db, pipeline.project_id, iid)
  return row && mergeRequestSummary(building, project, row)
}

/** The payload of a pipeline with its jobs (contract 21 R7, `Pipeline Hook`). */
export async function pipelinePayload(building: Building, project: NamedProject, row: PipelineRow) {
  const { db, platform } = building
  const jobs = await latestJobsOf(db, row.id, mostJobs)
  const [parts, variables] = [
    await jobParts(building, jobs),
    await openVariables(platform, await variablesOf(db, row.id)),
  ]
  const artifacts = await artifactsOfJobs(
    db,
    jobs.map(({ id }) => id),
  )
  const archives = new Map(artifacts.filter((one) => one.file_type === 'archive').map((one) => [one.job_id, one]))
  const owners = row.user_id === null ? new Map<number, UserPayload>() : await userPayloads(building, [row.user_id])
  return {
    object_kind: 'pipeline',
    object_attributes: {
      id: row.id,
      iid: row.iid,
      name: row.name,
      ref: row.ref,
      tag: row.tag,
      sha: row.sha,
      before_sha: row.before_sha ?? zeros,
      source: row.source,
      status: row.status,
      detailed_status: row.status === 'success' ? 'passed' : row.status,
      stages: [...new Set(jobs.map(({ stage }) => stage))],
      created_at: utc(row.created_at),
      finished_at: utc(row.finished_at),
      duration: secondsBetween(row.started_at, row.finished_at),
      queued_duration: secondsBetween(row.created_at, row.started_at),
      protected_ref: row.protected,
      variables: variables.map(({ key, value }) => ({ key, value })),
      url: `${webUrl(building, project)}/-/pipelines/${row.id}`,
    },
    merge_request: await requestOfPipeline(building, project, row),
    user: row.user_id === null ? null : (owners.get(row.user_id) ?? null),
    project: projectPayload(building, project),
    commit: { id: row.sha },
    builds: jobs.map((job) => buildPayload(job, parts, archives.get(job.id))),
  }
}

/** The commit that a job shows is that of its pipeline, with its state. */
function commitOfJob(pipeline: PipelineRow) {
  return {
    id: pipeline.id,
    name: pipeline.name,
    sha: pipeline.sha,
    message: null,
    author_name: null,
    author_email: null,
    status: pipeline.status,
    duration: secondsBetween(pipeline.started_at, pipeline.finished_at),
    started_at: utc(pipeline.started_at),
    started_at_iso: pipeline.started_at,
    finished_at: utc(pipeline.finished_at),
    finished_at_iso: pipeline.finished_at,
  }
}

export function jobCommitAt(row: PipelineRow): Completion {
  return { path: ['commit'], projectId: row.project_id, sha: row.sha, form: 'job' }
}

/** The payloads of jobs of a pipeline, in the order of their ids (contract 21 R7, `Job Hook`). */
export async function jobPayloads(
  building: Building,
  project: NamedProject,
  pipeline: PipelineRow,
  jobs: readonly CiJobRow[],
) {
  const { users, runners } = await jobParts(building, jobs)
  const repository = pushedRepositoryPayload(building, project)
  const shown = projectPayload(building, project)
  const retries = await retriesOf(building.db, pipeline.id)
  return jobs.map((job) => ({
    object_kind: 'build',
    ref: job.ref,
    tag: pipeline.tag,
    before_sha: pipeline.before_sha ?? zeros,
    sha: job.sha,
    build_id: job.id,
    build_name: job.name,
    build_stage: job.stage,
    build_status: job.status,
    build_created_at: utc(job.created_at),
    build_created_at_iso: job.created_at,
    build_started_at: utc(job.started_at),
    build_started_at_iso: job.started_at,
    build_finished_at: utc(job.finished_at),
    build_finished_at_iso: job.finished_at,
    build_duration: secondsBetween(job.started_at, job.finished_at),
    build_queued_duration: secondsBetween(job.queued_at, job.started_at),
    build_allow_failure: job.allow_failure,
    build_failure_reason: job.failure_reason ?? 'unknown_failure',
    retries_count: retries.get(job.name) ?? 0,
    pipeline_id: pipeline.id,
    project_id: project.row.id,
    project_name: `${project.namespaceName} / ${project.row.name}`,
    user: job.user_id === null ? null : (users.get(job.user_id) ?? null),
    commit: commitOfJob(pipeline),
    repository,
    project: shown,
    runner: job.runner_id === null ? null : (runners.get(job.runner_id) ?? null),
    environment: null,
  }))
}
