import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { moveEnvironment } from '../core/store.ts'
import type { EnvironmentRow } from '../tables.ts'

/** The columns of an environment that is stopped. */
export const stoppedAt = (moment: string) => ({
  ...({ state: 'stopped', auto_stop_at: null, stopping_since: null, updated_at: moment } as const),
})

/** Stops an environment without a job (contract 24, Environments in CI). @returns null when it is stopped already */
export function stopNow({ clock }: Platform, tx: Tx, id: number): Promise<EnvironmentRow | null> {
  return moveEnvironment(tx, id, ['available', 'stopping'], stoppedAt(now(clock)))
}
