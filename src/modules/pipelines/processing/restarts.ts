import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { CiJobRow } from '../tables.ts'
import type { JobState } from './decisions.ts'
import { changesOf, lockPipeline } from './process.ts'
import { replaceJobs } from './store/replacements.ts'
import * as store from './store/states.ts'
import { transitions } from './transitions.ts'

/** The skipped jobs that wait for jobs that run again: those of later stages, and those that need them by name. */
function dependants(
  jobs: readonly JobState[],
  needs: ReadonlyMap<number, readonly string[]>,
  again: readonly JobState[],
) {
  const stage = Math.min(...again.map(({ stage_index }) => stage_index))
  const names = new Set(again.map(({ name }) => name))
  const found = new Map<number, JobState>()
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    for (const job of jobs) {
      if (job.status !== 'skipped' || found.has(job.id)) continue
      const waits = job.uses_needs ? (needs.get(job.id) ?? []).some((name) => names.has(name)) : job.stage_index > stage
      if (!waits) continue
      found.set(job.id, job)
      names.add(job.name)
      isChanged = true
    }
  }
  return [...found.keys()]
}

/** Makes skipped jobs wait again for jobs that run again. The pipeline has to be processed afterwards. */
export async function resetDependants(
  platform: Platform,
  tx: Tx,
  pipelineId: number,
  again: readonly JobState[],
): Promise<void> {
  const jobs = (await store.latestStates(tx, pipelineId)).filter(({ external }) => !external)
  const skipped = jobs.filter(({ status, uses_needs }) => status === 'skipped' && uses_needs)
  const needs = await store.needsOf(
    tx,
    skipped.map(({ id }) => id),
  )
  const ids = dependants(jobs, needs, again)
  const changes = changesOf('reset', now(platform.clock))
  await store.setJobs(tx, ids, transitions.reset.from, changes)
}

/**
 * Replaces jobs that ended by new ones, which wait like those of a new pipeline; skipped jobs that depend on them wait again
 * (contract 04, x.pipelines_retry). The pipeline has to be begun afterwards.
 * @returns the ids of the new jobs
 */
export async function retryJobs(
  platform: Platform,
  tx: Tx,
  pipelineId: number,
  jobs: readonly CiJobRow[],
  userId: number,
): Promise<number[]> {
  if (jobs.length === 0) return []
  await lockPipeline(tx, pipelineId)
  const moment = now(platform.clock)
  const jobIds = await replaceJobs(tx, jobs, { moment, retries: 0, userId })
  await resetDependants(platform, tx, pipelineId, jobs)
  // Until the pipeline is begun again, its ref must not be removed.
  await store.updatePipeline(tx, pipelineId, { status: 'created', finished_at: null, updated_at: moment })
  await react(platform, tx, 'ci_jobs.changed', { pipelineId, jobIds })
  return jobIds
}
