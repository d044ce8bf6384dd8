import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '../../infra/clock/index.ts'
import { coloured, JobLog } from '../log/job-log.ts'
import type { ProgramInfo, RunnerClient } from '../protocol/client.ts'
import type { JobPayload, Variable } from '../protocol/payload.ts'
import { type Folders, type JobContext, JobFailure } from './context.ts'
import { Ends, failureOf, within } from './ends.ts'
import { environmentOf } from './environment.ts'
import { Reporter } from './reporting.ts'
import { perform } from './stages.ts'

/** What all jobs of a runner share. */
export type Workshop = {
  client: RunnerClient
  info: ProgramInfo
  clock: Clock
  /** The longest time between two reports of a job; the server may ask for a shorter one. */
  longestIntervalMs: number
  /** Folder for sources and caches. */
  builds: string
  /** The environment that each job gets, without its variables. */
  environment: Record<string, string>
}

/** How a job ended; `forgotten`: the server had ended it before. */
export type JobResult = 'success' | 'failed' | 'canceled' | 'forgotten'

function foldersOf({ builds }: Workshop, { id, job_info }: JobPayload, slot: number): Folders {
  const project = String(job_info.project_id)
  return {
    // The name is for people: that of the folder is the last part of the path.
    project: join(builds, `work-${slot}`, project, basename(job_info.project_full_path) || 'project'),
    temporary: join(builds, 'jobs', String(id)),
    caches: join(builds, 'caches', project),
    builds,
  }
}

/** The variables that only the runner knows. */
function ownVariables({ info, builds }: Workshop, { project }: Folders, slot: number): Variable[] {
  const values = {
    CI_BUILDS_DIR: builds,
    CI_PROJECT_DIR: project,
    CI_CONCURRENT_ID: String(slot),
    CI_CONCURRENT_PROJECT_ID: String(slot),
    CI_RUNNER_VERSION: info.version,
    CI_RUNNER_EXECUTABLE_ARCH: `${info.platform}/${info.architecture}`,
    CI_SHARED_ENVIRONMENT: 'true',
    CI_JOB_STATUS: 'running',
  }
  return Object.entries(values).map(([key, value]) => ({ key, value, masked: false, raw: true }))
}

/**
 * Runs a job and reports its log and its end.
 * @param slot number of the place in which it runs; the jobs of a place run one after the other
 * @param stopping ends the job as failed
 * @throws ServerUnreachable when the end cannot be reported
 */
export async function runJob(
  workshop: Workshop,
  payload: JobPayload,
  { slot, stopping }: { slot: number; stopping: AbortSignal },
): Promise<JobResult> {
  const { clock, info } = workshop
  const ends = new Ends()
  const secrets = [...payload.variables.filter(({ masked }) => masked).map(({ value }) => value), payload.token]
  const log = new JobLog(clock, secrets, payload.features.token_mask_prefixes)
  const reporter = new Reporter(workshop, payload, log, (wish) => {
    if (wish === 'cancel') ends.cancel()
    if (wish === 'forget') ends.forget()
  })
  const stop = () => ends.stop(new JobFailure('runner_system_failure', 'the runner was stopped'))
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop, { once: true })
  log.line(`Running with ${info.name} ${info.version} on ${info.platform}/${info.architecture}`)
  const folders = foldersOf(workshop, payload, slot)
  const failure = await inFolders(workshop, { folders, payload, log, slot }, ends).finally(() => {
    stopping.removeEventListener('abort', stop)
  })
  if (ends.isForgotten) {
    await reporter.stop()
    return 'forgotten'
  }
  log.result(failure ? coloured('red', `ERROR: Job failed: ${failure.message}`) : coloured('green', 'Job succeeded'))
  const { reason, exitCode } = failure ?? {}
  await reporter.finish({
    state: failure ? 'failed' : 'success',
    ...(reason === undefined ? {} : { failure_reason: reason }),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
  })
  return ends.isCanceled ? 'canceled' : failure ? 'failed' : 'success'
}

type Place = Pick<JobContext, 'folders' | 'payload' | 'log'> & { slot: number }

/** Runs a job within its time, and removes its temporary folder afterwards. @returns why it failed */
async function inFolders(workshop: Workshop, { slot, ...place }: Place, ends: Ends): Promise<JobFailure | undefined> {
  const { folders, payload } = place
  const { client, clock } = workshop
  try {
    await rm(folders.temporary, { recursive: true, force: true })
    await mkdir(folders.temporary, { recursive: true, mode: 0o700 })
    const variables = [...payload.variables, ...ownVariables(workshop, folders, slot)]
    const environment = { ...workshop.environment, ...(await environmentOf(variables, folders.temporary)) }
    const context = { ...place, client, clock, environment, signal: ends.all.signal }
    const abort = (reason: JobFailure) => ends.script.abort(reason)
    await within(clock, payload.runner_info.timeout * 1000, abort, () => perform(context, ends))
    return undefined
  } catch (error) {
    return failureOf(error)
  } finally {
    await rm(folders.temporary, { recursive: true, force: true })
  }
}
