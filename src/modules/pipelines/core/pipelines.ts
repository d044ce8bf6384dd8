import {
  type Actor,
  failure,
  forbidden,
  invalid,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  recordNotFound,
  requireSignedIn,
  type Static,
  type Unmodified,
} from '../../../api/index.ts'
import { claim, now } from '../../../infra/database/index.ts'
import { enqueue, type Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { role } from '../../access/index.ts'
import { isFrozen } from '../../freeze-periods/index.ts'
import { defaultBranchName, type Project } from '../../projects/index.ts'
import { presentingUsers, usersByIds } from '../../users/index.ts'
import { requireShortValues } from '../../variables/index.ts'
import { mayReadBuilds } from '../access.ts'
import { createPipeline } from '../creation/create.ts'
import { openVariables } from '../creation/pipeline-variables.ts'
import { mayRunOn } from '../creation/rights.ts'
import { findTarget } from '../creation/target.ts'
import { removeFilesJob } from '../files/removal.ts'
import { beginPipeline } from '../processing/begin.ts'
import { cancelPipeline } from '../processing/job-changes.ts'
import { releaseRefLater } from '../processing/later.ts'
import { lockPipeline } from '../processing/process.ts'
import { retryJobs } from '../processing/restarts.ts'
import type { PipelineRow } from '../tables.ts'
import { coveredSeconds, meanCoverage } from './facts.ts'
import { detailsOf } from './listed.ts'
import type { PipelineFilter, PipelineRequest } from './params.ts'
import { ListedPipeline, Pipeline } from './present.ts'
import * as store from './store.ts'

/** Requires that the caller may read pipelines and jobs (contract 04, CI access rule). @throws ApiError 403 */
export function requireReader(actor: Actor, project: Project): void {
  if (!mayReadBuilds(actor, project)) throw forbidden()
}

/** @throws ApiError 404 */
export async function requirePipeline(platform: Platform, project: Project, id: number): Promise<PipelineRow> {
  const pipeline = await store.pipelineOfProject(platform.database.read, project.id, id)
  if (!pipeline) throw recordNotFound()
  return pipeline
}

/** A pipeline that the caller may read (contract 04, CI access rule). @throws ApiError 403, 404 */
export async function readPipeline(platform: Platform, project: Project, actor: Actor, id: number) {
  requireReader(actor, project)
  return requirePipeline(platform, project, id)
}

/** Presents a pipeline with what its jobs tell of it. */
export async function presentOne(platform: Platform, project: Project, pipeline: PipelineRow) {
  const { database, clock, externalUrl } = platform
  const [jobs, users, presenting] = await Promise.all([
    store.jobFactsOf(database.read, pipeline.id),
    usersByIds(database.read, pipeline.user_id === null ? [] : [pipeline.user_id]),
    presentingUsers(platform),
  ])
  const latest = jobs.filter(({ retried }) => !retried)
  const facts = {
    user: users.get(pipeline.user_id ?? 0),
    durationSeconds: coveredSeconds(jobs, now(clock)),
    coverageMean: meanCoverage(latest.map(({ coverage }) => coverage)),
    hasWarnings: latest.some(({ status, allow_failure }) => status === 'failed' && allow_failure),
  }
  return Pipeline.present({ ...pipeline, ...facts }, { externalUrl, fullPath: project.full_path, presenting })
}

/** Presents a pipeline as it is now. @throws ApiError 404 when it was deleted meanwhile */
async function presentCurrent(platform: Platform, project: Project, id: number) {
  return presentOne(platform, project, await requirePipeline(platform, project, id))
}

/** A page of the pipelines of a project (contract 04, x.pipelines_list). @throws ApiError 403 */
export async function listPipelines(
  platform: Platform,
  project: Project,
  actor: Actor,
  { with_details: withDetails = false, ...filter }: PipelineFilter,
  page: PageRequest,
): Promise<Page<Static<typeof ListedPipeline>>> {
  requireReader(actor, project)
  const { database, externalUrl } = platform
  const found = await store.pageOfPipelines(database.read, project.id, filter, page)
  const place = { externalUrl, fullPath: project.full_path }
  const details = withDetails ? await detailsOf(platform, project, found.items) : null
  return {
    ...found,
    items: found.items.map((row) => ListedPipeline.present(details ? { ...row, details: details(row) } : row, place)),
  }
}

/** The newest pipeline of the commit of a ref (contract 04, x.pipelines_latest). @throws ApiError 403, 404 */
export async function latestPipeline(platform: Platform, project: Project, actor: Actor, given: string | undefined) {
  requireReader(actor, project)
  const opened = await openRepository(platform, project)
  const target = await findTarget(opened, given || (await defaultBranchName(platform, project)))
  if (typeof target === 'string') throw notFound()
  const { ref, tag, commit } = target
  const place = { projectId: project.id, ref, tag, sha: commit.oid }
  const pipeline = await store.newestOf(platform.database.read, place)
  if (!pipeline) throw notFound()
  return presentOne(platform, project, pipeline)
}

/** @throws ApiError 403, 404 (contract 04, x.pipelines_get) */
export async function getPipeline(platform: Platform, project: Project, actor: Actor, id: number) {
  requireReader(actor, project)
  return presentCurrent(platform, project, id)
}

/** Creates a pipeline for a request (contract 04, x.pipelines_create). @throws ApiError 400, 404 */
export async function requestPipeline(platform: Platform, project: Project, actor: Actor, given: PipelineRequest) {
  requireShortValues(given.variables ?? [])
  const created = await createPipeline(platform, {
    ...{ project, actor: requireSignedIn(actor), ref: given.ref, source: 'api' },
    variables: given.variables ?? [],
  })
  if ('refused' in created) throw invalid({ base: [...created.refused] })
  return presentOne(platform, project, created.pipeline)
}

/** Cancels all jobs that have not ended (contract 04, x.pipelines_cancel). @throws ApiError 404 */
export async function cancel(platform: Platform, project: Project, id: number) {
  await requirePipeline(platform, project, id)
  await platform.database.write((tx) => cancelPipeline(platform, tx, id))
  return presentCurrent(platform, project, id)
}

/** @throws ApiError 403 unless the caller may run pipelines on the ref of this one */
async function requireRunner(platform: Platform, project: Project, actor: Actor, pipeline: PipelineRow) {
  if (!(await mayRunOn(platform, project, actor, pipeline))) throw forbidden()
}

/** Retries all jobs that failed or were canceled (contract 04, x.pipelines_retry). @throws ApiError 403, 404 */
export async function retry(platform: Platform, project: Project, actor: Actor, id: number) {
  const pipeline = await requirePipeline(platform, project, id)
  await requireRunner(platform, project, actor, pipeline)
  const { userId } = requireSignedIn(actor)
  const frozen = await isFrozen(platform, platform.database.read, project.id)
  const count = await platform.database.write(async (tx) => {
    await lockPipeline(tx, id)
    const jobs = await store.jobsToRetry(tx, id)
    return (await retryJobs(platform, tx, id, jobs, { userId, frozen })).length
  })
  if (count > 0) await beginPipeline(platform, pipeline)
  return presentCurrent(platform, project, id)
}

/** Deletes a pipeline with its jobs, logs and artifacts (contract 04, x.pipelines_delete). @throws ApiError 404, 412 */
export async function deletePipeline(platform: Platform, project: Project, id: number, unmodified: Unmodified) {
  const pipeline = await requirePipeline(platform, project, id)
  await platform.database.write(async (tx) => {
    await lockPipeline(tx, id)
    const row = await claim(tx, 'pipelines', () => store.pipelineOfProject(tx, project.id, id))
    if (!row) throw recordNotFound()
    unmodified(row.updated_at)
    const jobIds = await store.deletePipeline(tx, id)
    await enqueue(platform, tx, removeFilesJob, { projectId: project.id, jobIds })
    await releaseRefLater(platform, tx, pipeline)
  })
}

/** The variables of a pipeline (contract 04, x.pipelines_variables). @throws ApiError 403, 404 */
export async function pipelineVariables(platform: Platform, project: Project, actor: Actor, id: number) {
  const pipeline = await requirePipeline(platform, project, id)
  const isOwn = actor.kind === 'user' && pipeline.user_id === actor.userId
  if (!isOwn && !isAdministrator(actor) && project.role.level < role.maintainer) throw forbidden()
  const variables = await openVariables(platform, await store.variablesOf(platform.database.read, id))
  return variables.map(({ variable_type, key, value, raw }) => ({ variable_type, key, value, raw }))
}

const longestName = 255

/** Names a pipeline (contract 04, x.pipelines_metadata). @throws ApiError 400, 404 */
export async function rename(platform: Platform, project: Project, id: number, name: string) {
  await requirePipeline(platform, project, id)
  if ([...name].length > longestName) throw failure(400, `Name is too long (maximum is ${longestName} characters)`)
  await platform.database.write((tx) => store.renamePipeline(tx, id, name, now(platform.clock)))
  return presentCurrent(platform, project, id)
}
