import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { CiJobRow } from '../tables.ts'
import type { JobState } from './decisions.ts'
import { followReplaced } from './deploying.ts'
import { changesOf, lockPipeline } from './process.ts'
import { replaceJobs } from './store/replacements.ts'
import * as store from './store/states.ts'
import { transitions } from './transitions.ts'

/** The skipped jobs that wait for jobs that run again: those of later stages, and those that need them by name. */
function dependants(
  jobs: readonly JobState[],
  needs: ReadonlyMap<number, readonly string[]>,
  again: readonly JobState[],
): number[] {
  const firstStage = Math.min(...again.map(({ stage_index }) => stage_index))
  const skipped = jobs.filter(({ status }) => status === 'skipped')
  const byNeed = new Map<string, JobState[]>()
  for (const job of skipped.filter(({ uses_needs }) => uses_needs)) {
    for (const name of needs.get(job.id) ?? []) {
      const known = byNeed.get(name)
      if (known) known.push(job)
      else byNeed.set(name, [job])
    }
  }
  const found = new Set(skipped.filter((job) => !job.uses_needs && job.stage_index > firstStage))
  const names = [...again, ...found].map(({ name }) => name)
  // The list grows while it is walked.
  for (const name of names) {
    for (const job of byNeed.get(name) ?? []) {
      if (found.has(job)) continue
      found.add(job)
      names.push(job.name)
    }
  }
  return [...found].map(({ id }) => id)
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
 * @param given.userId who retries them
 * @param given.frozen whether the project is frozen now
 * @returns the ids of the new jobs
 */
export async function retryJobs(
  platform: Platform,
  tx: Tx,
  pipelineId: number,
  jobs: readonly CiJobRow[],
  given: { userId: number | null; frozen: boolean },
): Promise<number[]> {
  if (jobs.length === 0) return []
  await lockPipeline(tx, pipelineId)
  const moment = now(platform.clock)
  const jobIds = await replaceJobs(tx, jobs, { moment, retries: 0, ...given })
  await resetDependants(platform, tx, pipelineId, jobs)
  // Until the pipeline is begun again, its ref must not be removed.
  await store.updatePipeline(tx, pipelineId, { status: 'created', finished_at: null, updated_at: moment })
  await followReplaced(platform, tx, jobs, jobIds)
  const projectId = jobs[0]?.project_id ?? 0
  await react(platform, tx, 'ci_jobs.changed', { pipelineId, projectId, jobIds })
  return jobIds
}
