import { type Actor, anything, forms, nullable, type Static, Type } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { type Commit, parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, repositoriesOfProjects } from '../../../platform/repositories/index.ts'
import { CommitSummary, presentCommit } from '../../commits/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { presentSingles, SingleUser } from '../../users/index.ts'
import { artifactsOfJobs } from '../artifacts/store.ts'
import { BasicPipeline, presentBasic } from '../core/present.ts'
import type { CiJobArtifactRow, CiJobRow } from '../tables.ts'
import { pipelinesByIds, traceSizes } from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The runners and runner managers of jobs, as they are shown, by id (contract 04, Runner, Runner manager). */
    'pipelines.runners'(ids: { runners: readonly number[]; managers: readonly number[] }): Promise<{
      runners: ReadonlyMap<number, Record<string, unknown>>
      managers: ReadonlyMap<number, Record<string, unknown>>
    }>
  }
}

const ArtifactFile = Type.Object({
  file_type: Type.String(),
  size: Type.Integer(),
  filename: Type.String(),
  file_format: forms.nullableString,
})

const nullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] })

/** A job (contract 04, Job). */
export const JobObject = Type.Object(
  {
    id: forms.id,
    status: Type.String(),
    stage: Type.String(),
    name: Type.String(),
    ref: Type.String(),
    tag: Type.Boolean(),
    coverage: nullableNumber,
    allow_failure: Type.Boolean(),
    created_at: forms.timestamp,
    started_at: forms.nullableTimestamp,
    finished_at: forms.nullableTimestamp,
    erased_at: forms.nullableTimestamp,
    duration: nullableNumber,
    queued_duration: nullableNumber,
    user: nullable(SingleUser),
    commit: nullable(CommitSummary),
    pipeline: BasicPipeline,
    failure_reason: Type.Optional(Type.String()),
    web_url: Type.String(),
    project: Type.Object({ ci_job_token_scope_enabled: Type.Boolean() }),
    artifacts_file: Type.Optional(Type.Object({ filename: Type.String(), size: Type.Integer() })),
    artifacts: Type.Array(ArtifactFile),
    runner: anything,
    runner_manager: anything,
    artifacts_expire_at: forms.nullableTimestamp,
    archived: Type.Boolean(),
    tag_list: forms.strings,
  },
  { title: 'Job' },
)
export type PresentedJob = Static<typeof JobObject>

const seconds = (from: string | null, to: string | null) =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from)) / 1000

function timesOf({ started_at, finished_at, erased_at, created_at, queued_at }: CiJobRow, moment: string) {
  return {
    ...{ created_at, started_at, finished_at, erased_at },
    duration: seconds(started_at, finished_at ?? moment),
    queued_duration: seconds(queued_at, started_at ?? (finished_at === null ? moment : null)),
  }
}

function filesOf(artifacts: readonly CiJobArtifactRow[], traceBytes: number | undefined) {
  const archive = artifacts.find(({ file_type }) => file_type === 'archive')
  const files = artifacts.map(({ file_type, size_bytes: size, file_name: filename, file_format }) => {
    return { file_type, size, filename, file_format }
  })
  const trace = { file_type: 'trace', size: traceBytes ?? 0, filename: 'job.log', file_format: null }
  return {
    ...(archive ? { artifacts_file: { filename: archive.file_name, size: archive.size_bytes } } : {}),
    artifacts: traceBytes === undefined ? files : [...files, trace],
  }
}

/** The commits of jobs, by their ids. */
async function commitsOf(platform: Platform, jobs: readonly CiJobRow[]): Promise<ReadonlyMap<string, Commit>> {
  const byProject = Map.groupBy(jobs, ({ project_id }) => project_id)
  const rows = await repositoriesOfProjects(platform.database.read, [...byProject.keys()])
  const commits = new Map<string, Commit>()
  for (const row of rows) {
    const shas = (byProject.get(row.project_id ?? 0) ?? []).map(({ sha }) => sha)
    const oids = [...new Set(shas)].flatMap((sha) => parseOid(sha) ?? [])
    for (const [oid, commit] of await (await openRow(platform, row)).commits(oids)) commits.set(oid, commit)
  }
  return commits
}

/** Presents jobs of one project; what they refer to is loaded with a fixed number of queries. */
export function presentJobs(
  platform: Platform,
  project: ProjectRow,
  reader: Actor,
  jobs: readonly CiJobRow[],
): Promise<PresentedJob[]> {
  return presentJobsOf(platform, [project], reader, jobs)
}

/** As `presentJobs`, for jobs of several projects; those of other projects are left out. */
export async function presentJobsOf(
  platform: Platform,
  projects: readonly ProjectRow[],
  reader: Actor,
  jobs: readonly CiJobRow[],
): Promise<PresentedJob[]> {
  if (jobs.length === 0) return []
  const { database, ports, externalUrl, clock } = platform
  const ids = jobs.map(({ id }) => id)
  const [pipelines, artifacts, sizes, users, commits, { runners, managers }] = await Promise.all([
    pipelinesByIds(
      database.read,
      jobs.map(({ pipeline_id }) => pipeline_id),
    ),
    artifactsOfJobs(database.read, ids),
    traceSizes(database.read, ids),
    presentSingles(
      platform,
      reader,
      jobs.flatMap(({ user_id }) => user_id ?? []),
    ),
    commitsOf(platform, jobs),
    ports['pipelines.runners'](platform, {
      runners: jobs.flatMap(({ runner_id }) => runner_id ?? []),
      managers: jobs.flatMap(({ runner_manager_id }) => runner_manager_id ?? []),
    }),
  ])
  const byJob = Map.groupBy(artifacts, ({ job_id }) => job_id)
  const paths = new Map(projects.map(({ id, full_path }) => [id, full_path]))
  const moment = now(clock)
  return jobs.flatMap((job) => {
    const pipeline = pipelines.get(job.pipeline_id)
    const fullPath = paths.get(job.project_id)
    // The pipeline was deleted after the job was read.
    if (!pipeline || fullPath === undefined) return []
    const url = `${externalUrl}/${fullPath}`
    const { id, status, stage, name, ref, coverage, allow_failure, artifacts_expire_at, tag_list } = job
    const user = users.get(job.user_id ?? 0)
    const commit = commits.get(job.sha)
    return [
      {
        ...{ id, status, stage, name, ref, tag: pipeline.tag, coverage, allow_failure },
        ...timesOf(job, moment),
        user: user ?? null,
        commit: commit ? presentCommit(commit, url) : null,
        pipeline: presentBasic(pipeline, { externalUrl, fullPath }),
        ...(status === 'failed' ? { failure_reason: job.failure_reason ?? 'unknown_failure' } : {}),
        web_url: `${url}/-/jobs/${id}`,
        project: { ci_job_token_scope_enabled: false },
        ...filesOf(byJob.get(id) ?? [], sizes.get(id)),
        runner: runners.get(job.runner_id ?? 0) ?? null,
        runner_manager: managers.get(job.runner_manager_id ?? 0) ?? null,
        ...{ artifacts_expire_at, archived: false, tag_list: [...tag_list] },
      },
    ]
  })
}
