import { hash } from 'node:crypto'
import type { Static } from '../../../api/index.ts'
import { hashToken, randomToken } from '../../../infra/secrets/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { type CiJobRow, failJob, jobWithDefinition, startProblem, transitionJob } from '../../pipelines/index.ts'
import { dependenciesOf } from '../payload/dependencies.ts'
import { factsOf, type PreparedJob } from '../payload/facts.ts'
import { payloadOf } from '../payload/payload.ts'
import type { JobPayload } from '../payload/schema.ts'
import { recordContact, type Visitor } from '../protocol/contact.ts'
import { requireRunner } from '../protocol/credentials.ts'
import type { RunnerFeatures } from '../protocol/params.ts'
import type { RunnerManagerRow, RunnerRow } from '../tables.ts'
import { rememberMasked } from '../work/masking.ts'
import { supports } from './features.ts'
import * as store from './store.ts'

/** What a runner asks for. */
export type JobRequest = {
  token: string
  visitor: Visitor
  /** `X-GitLab-Last-Update` of an earlier answer. */
  lastUpdate?: string | undefined
  /** Only jobs that have waited for so many seconds. */
  jobAgeSeconds?: number | undefined
}

/** A job, or the text with which the runner asks again. */
export type JobAnswer = { job: Static<typeof JobPayload> } | { job: null; lastUpdate: string }

/** Candidates that are read at once. */
const batchSize = 20
/** After this time the queue is searched even if it looks the same: settings of projects may have changed. */
const searchEveryMs = 60_000
const longestAgeSeconds = 1_000_000_000

/** The jobs that this process is just handing over. Concurrent requests pass over them instead of failing to take them. */
const beingTaken = perPlatform(() => new Set<number>())

type Asking = { runner: RunnerRow; manager: RunnerManagerRow; features: RunnerFeatures }

/** Says what the answer "no job" depends on. */
async function stateOf({ database, clock }: Platform, runner: RunnerRow): Promise<string> {
  const period = Math.floor(clock.now().getTime() / searchEveryMs)
  const state = await store.queueState(database.read)
  return hash('sha256', `${state} ${runner.id} ${runner.updated_at} ${period}`).slice(0, 32)
}

/** Fails a job that this process could not hand over, unless another one has. */
async function refuse(platform: Platform, job: CiJobRow, reason: string): Promise<void> {
  await failJob(platform, job, reason, { event: 'refuse' })
}

/** Does a part of the work for a payload; an error fails the job by this event. @returns null then */
async function orFail<T>(platform: Platform, job: CiJobRow, event: 'refuse' | 'fail', work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    platform.log.error({ job: job.id, err: error }, 'the payload of a job cannot be built')
    await failJob(platform, job, 'scheduler_failure', { event })
    return null
  }
}

/** Reads a candidate; null when it must not run, and fails it then. */
async function prepare(platform: Platform, id: number, { runner, features }: Asking): Promise<PreparedJob | null> {
  const found = await jobWithDefinition(platform.database.read, id)
  if (found?.job.status !== 'pending') return null
  const { job, definition } = found
  if (!supports(features, definition)) {
    await refuse(platform, job, 'runner_unsupported')
    return null
  }
  const problem = await startProblem(platform, job)
  if (problem) {
    await refuse(platform, job, problem)
    return null
  }
  const [dependencies, facts] = await Promise.all([
    dependenciesOf(platform, job, definition),
    orFail(platform, job, 'refuse', () => factsOf(platform, { job, definition }, runner)),
  ])
  if (!dependencies) await refuse(platform, job, 'missing_dependency_failure')
  return dependencies && facts && { ...facts, dependencies }
}

/** Takes a job for a runner, unless another one has it. @returns its payload; null when it was taken or has failed */
async function take(platform: Platform, prepared: PreparedJob, { runner, manager, features }: Asking) {
  const token = randomToken('glcbt-')
  const changes = {
    runner_id: runner.id,
    runner_manager_id: manager.id,
    token_digest: hashToken(token),
    cancels_gracefully: features.cancel_gracefully === true,
  }
  const taken = await platform.database.write((tx) => transitionJob(platform, tx, prepared.job, 'run', changes))
  if (!taken) return null
  return orFail(platform, taken, 'fail', async () => {
    const payload = await payloadOf(platform, { ...prepared, job: taken, token })
    rememberMasked(platform, taken.id, payload.variables)
    return payload
  })
}

async function offer(platform: Platform, id: number, asking: Asking) {
  const taking = beingTaken(platform)
  if (taking.has(id)) return null
  taking.add(id)
  try {
    const prepared = await prepare(platform, id, asking)
    return prepared && (await take(platform, prepared, asking))
  } finally {
    taking.delete(id)
  }
}

/** Finds a job for a runner and takes it; null when there is none. */
async function findJob(platform: Platform, asking: Asking, jobAgeSeconds = 0) {
  const { database, clock } = platform
  const ageMs = Math.min(Math.max(0, jobAgeSeconds), longestAgeSeconds) * 1000
  const queuedBefore = ageMs === 0 ? null : new Date(clock.now().getTime() - ageMs).toISOString()
  const tried = new Set<number>()
  for (let limit = batchSize; ; limit += batchSize) {
    const found = await store.candidates(database.read, asking.runner, { queuedBefore, limit })
    for (const id of found) {
      if (tried.has(id)) continue
      tried.add(id)
      const payload = await offer(platform, id, asking)
      if (payload) return payload
    }
    if (found.length < limit) return null
  }
}

/**
 * Hands a job to a runner (contract 04, x.runner_job_request). A job goes to one runner, however many ask at once.
 * @throws ApiError 403 for an unknown token
 */
export async function requestJob(platform: Platform, request: JobRequest): Promise<JobAnswer> {
  const { token, visitor, lastUpdate, jobAgeSeconds } = request
  const runner = await requireRunner(platform, token)
  // The state is read before the search: a job that is queued meanwhile changes the next one.
  const [manager, state] = await Promise.all([recordContact(platform, runner, visitor), stateOf(platform, runner)])
  const nothing = { job: null, lastUpdate: state }
  if (runner.paused || (lastUpdate === state && !jobAgeSeconds)) return nothing
  const asking = { runner, manager, features: visitor.info?.features ?? {} }
  const job = await findJob(platform, asking, jobAgeSeconds)
  return job ? { job } : nothing
}
