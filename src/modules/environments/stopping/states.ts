import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { moveEnvironment } from '../core/store.ts'
import type { EnvironmentRow } from '../tables.ts'

/** The columns of an environment that is stopped. */
const stoppedAt = (moment: string) => ({
  ...({ state: 'stopped', auto_stop_at: null, stopping_since: null, updated_at: moment } as const),
})

/** Stops an environment without a job (contract 24, Environments in CI). @returns null when it is stopped already */
export function stopNow({ clock }: Platform, tx: Tx, id: number): Promise<EnvironmentRow | null> {
  return moveEnvironment(tx, id, ['available', 'stopping'], stoppedAt(now(clock)))
}

/**
 * Makes an environment available again that its stop job has not stopped.
 * @param changes what else is changed
 * @returns null when it is not stopping
 */
export function endStopping(
  { clock }: Platform,
  tx: Tx,
  id: number,
  changes: Partial<Pick<EnvironmentRow, 'auto_stop_at'>> = {},
): Promise<EnvironmentRow | null> {
  const ended = { state: 'available', stopping_since: null, updated_at: now(clock) } as const
  return moveEnvironment(tx, id, ['stopping'], { ...ended, ...changes })
}
