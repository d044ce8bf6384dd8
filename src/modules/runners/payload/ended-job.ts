import { expandVariables } from '../../../infra/expansion/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { jobWithDefinition, readJobVariables } from '../../pipelines/index.ts'
import { runnerById } from '../core/store.ts'
import { dependenciesOf } from './dependencies.ts'
import { factsOf } from './facts.ts'
import { variablesOf } from './variables.ts'

/**
 * The variables of a job that has ended, with those of its own `dotenv` report, expanded, by key. Its token opens nothing any more and
 * is left out.
 * @returns null when the job, its runner or its commit is gone
 */
export async function variablesOfEndedJob(
  platform: Platform,
  jobId: number,
): Promise<ReadonlyMap<string, string> | null> {
  const found = await jobWithDefinition(platform.database.read, jobId)
  const runner = found?.job.runner_id ? await runnerById(platform.database.read, found.job.runner_id) : null
  if (!found || !runner) return null
  const referred = await factsOf(platform, found, runner).catch((error: unknown) => {
    platform.log.warn({ job: jobId, err: error }, 'the variables of a job cannot be read')
    return null
  })
  if (!referred) return null
  const dependencies = (await dependenciesOf(platform, found.job, found.definition)) ?? []
  const [variables, { reports }] = await Promise.all([
    variablesOf(platform, { ...referred, dependencies, token: '' }),
    readJobVariables(platform, [jobId]),
  ])
  return expandVariables([...variables, ...reports])
}
