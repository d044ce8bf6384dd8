import { anonymous } from '../../../api/index.ts'
import { type Commit, parseOid, type Repository } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, type RepositoryRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import type { JobDefinition } from '../../ci-config/index.ts'
import { type CiJobRow, type PipelineRow, pipelineById } from '../../pipelines/index.ts'
import { type Project, projectById, settingsOf, withRole } from '../../projects/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import type { RunnerRow } from '../tables.ts'
import type { Dependency } from './dependencies.ts'

/** A job, and what it refers to. */
type Referred = {
  job: CiJobRow
  definition: JobDefinition
  pipeline: PipelineRow
  project: Project
  runner: RunnerRow
  repository: Repository
  repositoryRow: RepositoryRow
  commit: Commit
  user: UserRow | null
  /** The shorter of the job's and the runner's timeout. */
  timeoutSeconds: number
}

/** What is read of a job before a runner takes it. */
export type PreparedJob = Referred & { dependencies: readonly Dependency[] }

/** What the payload of a job contains. */
export type JobFacts = PreparedJob & {
  /** Text of the job's token. */
  token: string
}

/** The timeout of a job on a runner, in seconds. */
function timeoutOf({ timeout_seconds }: CiJobRow, project: Project, { maximum_timeout }: RunnerRow): number {
  const own = timeout_seconds ?? settingsOf(project).build_timeout
  return maximum_timeout === null ? own : Math.min(own, maximum_timeout)
}

/**
 * Reads what a job refers to (contract 04, "Job payload").
 * @throws Error when the project, the pipeline or the commit is missing
 */
export async function factsOf(
  platform: Platform,
  { job, definition }: Pick<Referred, 'job' | 'definition'>,
  runner: RunnerRow,
): Promise<Referred> {
  const db = platform.database.read
  const [pipeline, row, found, users] = await Promise.all([
    pipelineById(db, job.pipeline_id),
    projectById(db, job.project_id),
    repositoryOfProject(db, job.project_id),
    usersByIds(db, job.user_id === null ? [] : [job.user_id]),
  ])
  const oid = parseOid(job.sha)
  if (!pipeline || !row || !found || !oid) throw new Error(`job ${job.id} lacks what it refers to`)
  const repository = await openRow(platform, found)
  const commit = (await repository.commits([oid])).get(oid)
  if (!commit) throw new Error(`the commit of job ${job.id} is missing`)
  const project = await withRole(db, row, anonymous, '')
  return {
    ...{ job, definition, pipeline, project, runner, repository, commit },
    repositoryRow: found,
    user: users.get(job.user_id ?? 0) ?? null,
    timeoutSeconds: timeoutOf(job, project, runner),
  }
}
