import { type Actor, requireSignedIn } from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type CiJobRow, latestJobsNamed, startAgain } from '../../pipelines/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireEnvironment } from '../core/environments.ts'
import { presentEnvironment } from '../core/present.ts'
import { requireDeployer } from '../core/protection.ts'
import { environmentById, moveEnvironment } from '../core/store.ts'
import { newestFinishedOfJobs, stopJobsOf } from '../deployments/store.ts'
import type { EnvironmentRow } from '../tables.ts'
import { endStopping, stopNow } from './states.ts'

/** The jobs that stop an environment, as the newest pipeline says that has deployed to it, and who has deployed. */
async function stopJobs(db: Reader, environmentId: number): Promise<{ jobs: CiJobRow[]; deployerId: number | null }> {
  const newest = await newestFinishedOfJobs(db, environmentId)
  if (!newest?.pipeline_id) return { jobs: [], deployerId: null }
  const names = await stopJobsOf(db, environmentId, newest.pipeline_id)
  return { jobs: await latestJobsNamed(db, newest.pipeline_id, names), deployerId: newest.user_id }
}

/** How an environment is stopped. */
type Stopping = {
  /** Who stops it; undefined: the user who has deployed to it. */
  userId?: number | null
  /** Whether its stop jobs are skipped. */
  isForced?: boolean
  /** Whether it is the clock or the end of a branch that stops it. */
  isAutomatic?: boolean
}

/**
 * Stops an available environment: by its stop jobs, or at once without one (contract 24, Environments in CI).
 * @returns null when it is not available
 * @throws ApiError when a stop job cannot be started; the environment is as before then
 */
export async function stop(
  platform: Platform,
  { id, auto_stop_setting: setting, auto_stop_at }: EnvironmentRow,
  { userId, isForced = false, isAutomatic = false }: Stopping,
): Promise<EnvironmentRow | null> {
  const { database, clock } = platform
  const { jobs, deployerId } = isForced ? { jobs: [], deployerId: null } : await stopJobs(database.read, id)
  if (jobs.length === 0) {
    if (isAutomatic && setting === 'with_action') {
      return database.write((tx) => moveEnvironment(tx, id, ['available'], { auto_stop_at: null }))
    }
    return database.write((tx) => stopNow(platform, tx, id))
  }
  const moment = now(clock)
  const changes = { state: 'stopping', stopping_since: moment, auto_stop_at: null, updated_at: moment } as const
  const stopping = await database.write((tx) => moveEnvironment(tx, id, ['available'], changes))
  if (!stopping) return null
  try {
    for (const job of jobs) await startAgain(platform, job, userId === undefined ? deployerId : userId)
  } catch (error) {
    // One that is due stays due.
    await database.write((tx) => endStopping(platform, tx, id, { auto_stop_at }))
    throw error
  }
  return environmentById(database.read, id)
}

/** Does something with each of these environments. An error of one is logged, and does not hold up the others. */
export async function eachByItself(
  { log }: Platform,
  rows: Iterable<EnvironmentRow>,
  signal: AbortSignal,
  act: (row: EnvironmentRow) => Promise<unknown>,
): Promise<void> {
  for (const row of rows) {
    signal.throwIfAborted()
    try {
      await act(row)
    } catch (error) {
      log.error({ err: error, environment: row.id }, 'an environment could not be stopped or deleted')
    }
  }
}

/** Stops an environment (contract 24, x.environments_stop). @throws ApiError 400, 403, 404 */
export async function stopEnvironment(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  isForced: boolean,
) {
  const { userId } = requireSignedIn(actor)
  const { read } = platform.database
  const row = await requireEnvironment(read, project, id)
  await requireDeployer(platform, read, project, actor, row)
  const stopped = await stop(platform, row, { userId, isForced })
  return presentEnvironment(platform, project, actor, stopped ?? row)
}
