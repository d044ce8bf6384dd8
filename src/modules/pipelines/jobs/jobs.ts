import {
  type Actor,
  badRequest,
  failure,
  forbidden,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  parameterError,
  type Raw,
  type RequestInfo,
  rangeNotSatisfiable,
  recordNotFound,
  requestedRange,
  requireSignedIn,
} from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { type Project, projectById } from '../../projects/index.ts'
import { requirePipeline, requireReader } from '../core/pipelines.ts'
import { mayRunOn } from '../creation/rights.ts'
import { eraseJob } from '../files/erasure.ts'
import { holdsOf } from '../processing/deploying.ts'
import { cancelJobs, transitionJobs } from '../processing/job-changes.ts'
import { lockPipeline } from '../processing/process.ts'
import { definitionOf, jobById, pipelineById } from '../processing/store/states.ts'
import { isFinished } from '../processing/transitions.ts'
import { type CiJobRow, type CiState, ciStates } from '../tables.ts'
import { jobOfCaller } from '../tokens/job-tokens.ts'
import { readTrace } from '../traces/traces.ts'
import { storeJobVariables } from './job-variables.ts'
import type { JobFilter, JobToPlay } from './params.ts'
import { type PresentedJob, presentJobs } from './present.ts'
import { replaceEndedJob, requirePlayable, requireRetryable, startManualJob } from './starting.ts'
import * as store from './store.ts'

const states: ReadonlySet<string> = new Set(ciStates)

const isMaintainer = (actor: Actor, project: Project) => isAdministrator(actor) || project.role.level >= role.maintainer

/** @throws ApiError 404 */
export async function requireJob({ database }: Platform, project: Project, id: number): Promise<CiJobRow> {
  const job = await store.jobOfProject(database.read, project.id, id)
  if (!job) throw recordNotFound()
  return job
}

async function presentOne(platform: Platform, project: Project, actor: Actor, id: number): Promise<PresentedJob> {
  const job = await jobById(platform.database.read, id)
  const [presented] = job ? await presentJobs(platform, project, actor, [job]) : []
  if (!presented) throw recordNotFound()
  return presented
}

/** A page of the jobs of a pipeline (contract 04, x.pipelines_jobs). @throws ApiError 400, 403, 404 */
export async function jobsOfPipeline(
  platform: Platform,
  project: Project,
  actor: Actor,
  { pipelineId, filter }: { pipelineId: number; filter: JobFilter },
  page: PageRequest,
): Promise<Page<PresentedJob>> {
  requireReader(actor, project)
  const { scope, include_retried: withRetried = false } = filter
  if (scope && !scope.every((state) => states.has(state))) throw parameterError('scope', 'does not have a valid value')
  await requirePipeline(platform, project, pipelineId)
  const place = { projectId: project.id, pipelineId }
  const chosen = { states: scope as readonly CiState[] | undefined, withRetried }
  const found = await store.pageOfJobs(platform.database.read, place, chosen, page)
  return { ...found, items: await presentJobs(platform, project, actor, found.items) }
}

/** The jobs that start other pipelines: none, since they are not supported (contract 04, x.pipelines_bridges). */
export async function bridgesOfPipeline(platform: Platform, project: Project, actor: Actor, pipelineId: number) {
  requireReader(actor, project)
  await requirePipeline(platform, project, pipelineId)
  return { items: [], total: 0, hasNext: false }
}

/** A page of the jobs of a project (contract 04, x.jobs_list). @throws ApiError 400, 403 */
export async function listJobs(
  platform: Platform,
  project: Project,
  actor: Actor,
  { scope }: JobFilter,
  page: PageRequest,
): Promise<Page<PresentedJob>> {
  requireReader(actor, project)
  if (scope && !scope.every((state) => states.has(state))) throw failure(400, 'Scope contains invalid value(s)')
  const chosen = { states: scope as readonly CiState[] | undefined }
  const found = await store.pageOfJobs(platform.database.read, { projectId: project.id }, chosen, page)
  return { ...found, items: await presentJobs(platform, project, actor, found.items) }
}

/** @throws ApiError 403, 404 (contract 04, x.jobs_get) */
export async function getJob(platform: Platform, project: Project, actor: Actor, id: number): Promise<PresentedJob> {
  requireReader(actor, project)
  return presentOne(platform, project, actor, (await requireJob(platform, project, id)).id)
}

/** The job whose token the caller uses (contract 04, x.job_current). @throws ApiError 404 for other credentials */
export async function currentJob(platform: Platform, actor: Actor): Promise<PresentedJob> {
  const job = await jobOfCaller(platform, actor)
  const project = job && (await projectById(platform.database.read, job.project_id))
  const [presented] = project ? await presentJobs(platform, project, actor, [job]) : []
  if (!presented) throw notFound('Job')
  return presented
}

/** Whether the job logs every command with its variables. */
async function isDebugging({ database }: Platform, job: CiJobRow): Promise<boolean> {
  const definition = await definitionOf(database.read, job.id)
  const value = definition?.variables.findLast(({ key }) => key === 'CI_DEBUG_TRACE')?.value
  return value?.toLowerCase() === 'true'
}

/** The request for a log, and the status of its answer. */
type Answering = { request: Pick<RequestInfo, 'method' | 'headers'>; setStatus(status: number): void }

/** The log of a job, or a range of it, also while it runs (contract 04, x.jobs_trace). @throws ApiError 403, 404, 416 */
export async function jobTrace(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  { request, setStatus }: Answering,
): Promise<Raw> {
  requireReader(actor, project)
  const job = await requireJob(platform, project, id)
  const isTrusted = isAdministrator(actor) || project.role.level >= role.developer
  if (!isTrusted && (await isDebugging(platform, job))) throw forbidden()
  const trace = await readTrace(platform, job.id)
  // A log has no ETag, so that a condition of the range never holds.
  const range = request.method === 'GET' ? requestedRange(request, { sizeBytes: trace.sizeBytes, etag: '' }) : null
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(trace.sizeBytes)
  if (range) setStatus(206)
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': `infile; filename="${job.id}.log"`,
    'Accept-Ranges': 'bytes',
    ...(range && { 'Content-Range': `bytes ${range.firstByte}-${range.lastByte}/${trace.sizeBytes}` }),
  }
  return { headers, body: async () => trace.open(range) }
}

/** @throws ApiError 403 unless the caller may run pipelines on the ref of the job */
async function requireRunner(platform: Platform, project: Project, actor: Actor, job: CiJobRow) {
  const pipeline = await pipelineById(platform.database.read, job.pipeline_id)
  if (!pipeline) throw recordNotFound()
  if (!(await mayRunOn(platform, project, actor, pipeline))) throw forbidden()
  return pipeline
}

/** A job, and the caller who may run pipelines on its ref. @throws ApiError 403, 404 */
async function requireStart(platform: Platform, project: Project, actor: Actor, id: number) {
  const job = await requireJob(platform, project, id)
  const { userId } = requireSignedIn(actor)
  return { job, userId, pipeline: await requireRunner(platform, project, actor, job) }
}

/** Requires that the caller may start a job as it is now. @throws ApiError 400, 403, 404 */
export async function requirePlayer(platform: Platform, project: Project, actor: Actor, id: number): Promise<void> {
  const { job } = await requireStart(platform, project, actor, id)
  requirePlayable(job)
  await requireNotHeldUp(platform, platform.database.read, job, actor)
}

/** Requires that the caller may replace a job as it is now. @throws ApiError 403, 404 */
export async function requireRetrier(platform: Platform, project: Project, actor: Actor, id: number): Promise<void> {
  const { job } = await requireStart(platform, project, actor, id)
  requireRetryable(job)
  await requireDeployer(platform, platform.database.read, job, actor)
}

/** Requires that a caller may cancel a job, whatever its state. @throws ApiError 403, 404 */
export async function requireCanceler(platform: Platform, project: Project, actor: Actor, id: number): Promise<void> {
  await requireDeployer(platform, platform.database.read, await requireJob(platform, project, id), actor)
}

/** Starts a manual or delayed job (contract 04, x.jobs_play). @throws ApiError 400, 403, 404 */
export async function playJob(platform: Platform, project: Project, actor: Actor, id: number, given: JobToPlay) {
  const { job, userId } = await requireStart(platform, project, actor, id)
  await startManualJob(platform, job, userId, async (tx, current) => {
    await requireNotHeldUp(platform, tx, current, actor)
    await storeJobVariables(platform, tx, id, given.job_variables_attributes ?? [], false)
  })
  return presentOne(platform, project, actor, id)
}

/** Cancels a job (contract 04, x.jobs_cancel). @throws ApiError 403, 404 */
export async function cancelJob(platform: Platform, project: Project, actor: Actor, id: number, force: boolean) {
  const job = await requireJob(platform, project, id)
  if (force && !isMaintainer(actor, project)) throw forbidden()
  await requireDeployer(platform, platform.database.read, job, actor)
  await platform.database.write(async (tx) => {
    await lockPipeline(tx, job.pipeline_id)
    const current = await jobById(tx, id)
    if (!current) return
    await cancelJobs(platform, tx, job.pipeline_id, [current])
    const target = { pipelineId: job.pipeline_id, ids: [id], event: 'end_canceling' } as const
    if (force) await transitionJobs(platform, tx, target)
  })
  return presentOne(platform, project, actor, id)
}

/** @throws ApiError 403 for callers who may not deploy to the environment of a job (contract 24, Protection) */
async function requireDeployer(platform: Platform, db: Reader, job: CiJobRow, actor: Actor) {
  const starting = { ...job, user_id: requireSignedIn(actor).userId, administrator: isAdministrator(actor) }
  const hold = (await holdsOf(platform, db, [starting])).get(job.id)
  if (hold === 'protected_environment_failure') throw forbidden()
  return hold
}

/**
 * Requires that nothing holds the deployment of a job up that the caller starts (contract 24, Protection).
 * @throws ApiError 400 while approvals are missing; 403 for callers who may not deploy
 */
async function requireNotHeldUp(platform: Platform, db: Reader, job: CiJobRow, actor: Actor): Promise<void> {
  const hold = await requireDeployer(platform, db, job, actor)
  if (hold === 'approval') throw badRequest('Unplayable Job')
}

/** Replaces a job that ended by a new one (contract 04, x.jobs_retry). @throws ApiError 403, 404 */
export async function retryJob(platform: Platform, project: Project, actor: Actor, id: number) {
  const { job, userId, pipeline } = await requireStart(platform, project, actor, id)
  const newId = await replaceEndedJob(platform, pipeline, job, userId, async (tx, current) => {
    await requireDeployer(platform, tx, current, actor)
  })
  return presentOne(platform, project, actor, newId)
}

const notErasable = () => forbidden('Job is not erasable!')

/** Removes the log and the artifacts of a job (contract 04, x.jobs_erase). @throws ApiError 403, 404 */
export async function erase(platform: Platform, project: Project, actor: Actor, id: number) {
  const job = await requireJob(platform, project, id)
  const { userId } = requireSignedIn(actor)
  if (job.user_id !== userId && !isMaintainer(actor, project)) throw forbidden()
  if (!isFinished(job.status) || job.erased_at !== null) throw notErasable()
  if (!(await eraseJob(platform, job, now(platform.clock)))) throw notErasable()
  return presentOne(platform, project, actor, id)
}
