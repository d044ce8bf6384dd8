import {
  type Actor,
  anything,
  computed,
  fact,
  forms,
  from,
  nullable,
  object,
  of,
  type Static,
  Type,
} from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { type Commit, parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, repositoriesOfProjects } from '../../../platform/repositories/index.ts'
import { CommitSummary, presentCommit } from '../../commits/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { presentSingles, SingleUser } from '../../users/index.ts'
import { artifactsOfJobs } from '../artifacts/store.ts'
import { BasicPipeline } from '../core/present.ts'
import type { CiJobArtifactRow, CiJobRow, PipelineRow } from '../tables.ts'
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

/** A job with its pipeline and the path of its project. */
type ShownJob = CiJobRow & { pipeline: PipelineRow; fullPath: string }
/** @property moment now, ISO text */
type JobView = { platform: Platform; reader: Actor; moment: string }

const seconds = (from: string | null, to: string | null) =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from)) / 1000

/** How long a job waits or waited; null while it has not begun to. */
function queuedSeconds({ queued_at, started_at, finished_at }: CiJobRow, { moment }: JobView): number | null {
  return seconds(queued_at, started_at ?? (finished_at === null ? moment : null))
}

/** The files of a job that it has uploaded itself: names of others have a dot. */
function filesOf(artifacts: readonly CiJobArtifactRow[], traceBytes: number | undefined) {
  const uploaded = artifacts.filter(({ file_type }) => !file_type.includes('.'))
  const files = uploaded.map(({ file_type, size_bytes: size, file_name: filename, file_format }) => {
    return { file_type, size, filename, file_format }
  })
  const trace = { file_type: 'trace', size: traceBytes ?? 0, filename: 'job.log', file_format: null }
  return traceBytes === undefined ? files : [...files, trace]
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

const addressOf = ({ fullPath }: ShownJob, { platform }: JobView) => `${platform.externalUrl}/${fullPath}`

const idsOf = (jobs: readonly CiJobRow[]) => jobs.map(({ id }) => id)

const jobs = of<ShownJob, JobView>().facts({
  users: (rows, { platform, reader }) =>
    presentSingles(
      platform,
      reader,
      rows.flatMap(({ user_id }) => user_id ?? []),
    ),
  commits: (rows, { platform }) => commitsOf(platform, rows),
  artifacts: async (rows, { platform }) =>
    Map.groupBy(await artifactsOfJobs(platform.database.read, idsOf(rows)), ({ job_id }) => job_id),
  traces: (rows, { platform }) => traceSizes(platform.database.read, idsOf(rows)),
  executed: (rows, { platform }) =>
    platform.ports['pipelines.runners'](platform, {
      runners: rows.flatMap(({ runner_id }) => runner_id ?? []),
      managers: rows.flatMap(({ runner_manager_id }) => runner_manager_id ?? []),
    }),
})

/** A job (contract 04, Job). */
export const JobObject = object('Job', jobs, {
  id: forms.id,
  status: Type.String(),
  stage: Type.String(),
  name: Type.String(),
  ref: Type.String(),
  tag: from(Type.Boolean(), 'pipeline', 'tag'),
  coverage: nullableNumber,
  allow_failure: Type.Boolean(),
  created_at: forms.timestamp,
  started_at: forms.nullableTimestamp,
  finished_at: forms.nullableTimestamp,
  erased_at: forms.nullableTimestamp,
  duration: computed(nullableNumber, ({ started_at, finished_at }, { moment }) =>
    seconds(started_at, finished_at ?? moment),
  ),
  queued_duration: computed(nullableNumber, queuedSeconds),
  user: fact(nullable(SingleUser), 'users', ({ user_id }, { users }) => users.get(user_id ?? 0) ?? null),
  commit: fact(nullable(CommitSummary), 'commits', (job, view) => {
    const commit = view.commits.get(job.sha)
    return commit ? presentCommit(commit, addressOf(job, view)) : null
  }),
  pipeline: computed(BasicPipeline, ({ pipeline, fullPath }, { platform: { externalUrl } }) =>
    BasicPipeline.present(pipeline, { externalUrl, fullPath }),
  ),
  failure_reason: computed(Type.Optional(Type.String()), ({ status, failure_reason }) =>
    status === 'failed' ? (failure_reason ?? 'unknown_failure') : undefined,
  ),
  web_url: computed(Type.String(), (job, view) => `${addressOf(job, view)}/-/jobs/${job.id}`),
  project: computed(Type.Object({ ci_job_token_scope_enabled: Type.Boolean() }), () => ({
    ci_job_token_scope_enabled: false,
  })),
  artifacts_file: fact(
    Type.Optional(Type.Object({ filename: Type.String(), size: Type.Integer() })),
    'artifacts',
    ({ id }, { artifacts }) => {
      const archive = artifacts.get(id)?.find(({ file_type }) => file_type === 'archive')
      return archive && { filename: archive.file_name, size: archive.size_bytes }
    },
  ),
  artifacts: fact(Type.Array(ArtifactFile), ['artifacts', 'traces'], ({ id }, { artifacts, traces }) =>
    filesOf(artifacts.get(id) ?? [], traces.get(id)),
  ),
  runner: fact(anything, 'executed', ({ runner_id }, { executed }) => executed.runners.get(runner_id ?? 0) ?? null),
  runner_manager: fact(
    anything,
    'executed',
    ({ runner_manager_id }, { executed }) => executed.managers.get(runner_manager_id ?? 0) ?? null,
  ),
  artifacts_expire_at: forms.nullableTimestamp,
  archived: computed(Type.Boolean(), () => false),
  tag_list: computed(forms.strings, ({ tag_list }) => [...tag_list]),
})
export type PresentedJob = Static<typeof JobObject>

/** Presents jobs of one project; what they refer to is loaded with a fixed number of queries. */
export function presentJobs(
  platform: Platform,
  project: ProjectRow,
  reader: Actor,
  rows: readonly CiJobRow[],
): Promise<PresentedJob[]> {
  return presentJobsOf(platform, [project], reader, rows)
}

/** As `presentJobs`, for jobs of several projects; those of other projects are left out. */
export async function presentJobsOf(
  platform: Platform,
  projects: readonly ProjectRow[],
  reader: Actor,
  rows: readonly CiJobRow[],
): Promise<PresentedJob[]> {
  if (rows.length === 0) return []
  const { database, clock } = platform
  const pipelines = await pipelinesByIds(
    database.read,
    rows.map(({ pipeline_id }) => pipeline_id),
  )
  const paths = new Map(projects.map(({ id, full_path }) => [id, full_path]))
  const shown = rows.flatMap((row) => {
    const [pipeline, fullPath] = [pipelines.get(row.pipeline_id), paths.get(row.project_id)]
    // The pipeline was deleted after the job was read.
    return pipeline && fullPath !== undefined ? [{ ...row, pipeline, fullPath }] : []
  })
  return JobObject.presentAll(shown, { platform, reader, moment: now(clock) })
}
