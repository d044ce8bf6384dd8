import { type Platform, perPlatform } from '../../../platform/index.ts'
import { type CiJobRow, definitionOf } from '../../pipelines/index.ts'
import { runnerById } from '../core/store.ts'
import { dependenciesOf } from '../payload/dependencies.ts'
import { factsOf } from '../payload/facts.ts'
import { variablesOf } from '../payload/variables.ts'

/** Jobs whose values are held; the oldest is forgotten first. */
const mostJobs = 500

const known = perPlatform(() => new Map<number, readonly string[]>())

/** Remembers what the log of a job must not show. */
export function rememberMasked(
  platform: Platform,
  jobId: number,
  variables: readonly { value: string; masked: boolean }[],
): readonly string[] {
  const values = variables.filter(({ masked }) => masked).map(({ value }) => value)
  const jobs = known(platform)
  const [oldest] = jobs.keys()
  if (jobs.size >= mostJobs && oldest !== undefined) jobs.delete(oldest)
  jobs.set(jobId, values)
  return values
}

/**
 * The values that the log of a job must not show (contract 03, "Masking in logs"). They are read again when another process
 * handed the job over.
 * @param token text of the job's token
 */
export async function maskedValues(platform: Platform, job: CiJobRow, token: string): Promise<readonly string[]> {
  const remembered = known(platform).get(job.id)
  if (remembered) return remembered
  const db = platform.database.read
  const [definition, runner] = await Promise.all([
    definitionOf(db, job.id),
    job.runner_id === null ? null : runnerById(db, job.runner_id),
  ])
  const own = { value: token, masked: true }
  if (!definition || !runner) return rememberMasked(platform, job.id, [own])
  try {
    const dependencies = (await dependenciesOf(platform, job, definition)) ?? []
    const facts = await factsOf(platform, { job, definition }, runner)
    const variables = await variablesOf(platform, { ...facts, dependencies, token })
    return rememberMasked(platform, job.id, variables)
  } catch (error) {
    platform.log.warn({ job: job.id, err: error }, 'the masked variables of a job cannot be read')
    return rememberMasked(platform, job.id, [own])
  }
}
