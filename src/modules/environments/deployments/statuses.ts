import { now, type Tx } from '../../../infra/database/index.ts'
import { parseDuration } from '../../../infra/durations/index.ts'
import { enqueue, type Job, type Platform, react } from '../../../platform/index.ts'
import { moveEnvironment } from '../core/store.ts'
import { type DeploymentRow, type DeploymentStatus, environmentStates } from '../tables.ts'
import { updateDeploymentRow } from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** A deployment runs, or has ended otherwise than by being skipped. */
    'deployment.changed': { deploymentId: number; projectId: number }
  }
}

/** The job that carries out what follows a successful deployment outside the database. */
export const finishing: Pick<Job<{ deploymentId: number }>, 'kind'> = { kind: 'environments.finish_deployment' }

const final: ReadonlySet<DeploymentStatus> = new Set(['success', 'failed', 'canceled', 'skipped'])
const told: ReadonlySet<DeploymentStatus> = new Set(['running', 'success', 'failed', 'canceled'])

/** Whether a deployment has ended. */
export const isFinished = (status: DeploymentStatus): boolean => final.has(status)

/**
 * When an environment is stopped after a deployment of now.
 * @param autoStopIn a duration in words or `never`; null: as before
 * @returns undefined when it stays as it is
 */
export function autoStopAt({ clock }: Pick<Platform, 'clock'>, autoStopIn: string | null): string | null | undefined {
  if (autoStopIn === null) return undefined
  const seconds = parseDuration(autoStopIn)
  if (seconds === null) return autoStopIn === 'never' ? null : undefined
  // Later times than this one have another number of digits.
  const latestMs = Date.parse('9999-01-01T00:00:00.000Z')
  return new Date(Math.min(clock.now().getTime() + seconds * 1000, latestMs)).toISOString()
}

/** Makes an environment available after a successful deployment (contract 24, Environments in CI). */
async function makeAvailable(platform: Platform, tx: Tx, environmentId: number, autoStopIn: string | null) {
  const auto_stop_at = autoStopAt(platform, autoStopIn)
  await moveEnvironment(tx, environmentId, environmentStates, {
    ...{ state: 'available', stopping_since: null, delete_at: null, updated_at: now(platform.clock) },
    ...(auto_stop_at === undefined ? {} : { auto_stop_at }),
  })
}

/** What follows from the status that a deployment has now, in the same transaction. */
export async function followStatus(
  platform: Platform,
  tx: Tx,
  { id: deploymentId, project_id: projectId, environment_id, status }: DeploymentRow,
  autoStopIn: string | null = null,
): Promise<void> {
  if (status === 'success') {
    await makeAvailable(platform, tx, environment_id, autoStopIn)
    await enqueue(platform, tx, finishing as Job<{ deploymentId: number }>, { deploymentId })
  }
  if (told.has(status)) await react(platform, tx, 'deployment.changed', { deploymentId, projectId })
}

/** Gives a deployment another status. @returns the row afterwards; null when it is gone */
export async function setStatus(
  platform: Platform,
  tx: Tx,
  { id }: Pick<DeploymentRow, 'id'>,
  status: DeploymentStatus,
  autoStopIn: string | null = null,
): Promise<DeploymentRow | null> {
  const moment = now(platform.clock)
  const finished_at = isFinished(status) ? moment : null
  const changed = await updateDeploymentRow(tx, id, { status, finished_at, updated_at: moment })
  if (changed) await followStatus(platform, tx, changed, autoStopIn)
  return changed
}
