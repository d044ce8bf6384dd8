import { now } from '../../../infra/database/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { removeEnvironment } from '../core/environments.ts'
import { moveEnvironment } from '../core/store.ts'
import type { EnvironmentRow } from '../tables.ts'
import { endStopping } from './states.ts'
import { eachByItself, stop } from './stopping.ts'
import { anyIsDue, type DueColumn, dueBy } from './store.ts'

/** How often environments that are due are looked for (contract 24, Environments in CI). */
const periodSeconds = 300
const batchSize = 500
/** How long the stop job of an environment is waited for. */
const stoppingMs = 7 * 86_400_000

const stoppingSince = ({ clock }: Platform) => new Date(clock.now().getTime() - stoppingMs).toISOString()

type Step = (platform: Platform, signal: AbortSignal) => Promise<void>

/**
 * Does something with each environment that is due, the most overdue first.
 * @param moment those are due whose time is not later
 */
export async function forEachDue(
  platform: Platform,
  { column, moment }: { column: DueColumn; moment: string },
  signal: AbortSignal,
  act: (row: EnvironmentRow) => Promise<unknown>,
): Promise<void> {
  for (let after: EnvironmentRow | undefined; ; ) {
    const rows = await dueBy(platform.database.read, { column, moment, after }, batchSize)
    await eachByItself(platform, rows, signal, act)
    if (rows.length < batchSize) return
    after = rows.at(-1)
  }
}

/** Stops environments whose time is over. */
const stopDue: Step = (platform, signal) => {
  const due = { column: 'auto_stop_at', moment: now(platform.clock) } as const
  return forEachDue(platform, due, signal, (row) => stop(platform, row, { isAutomatic: true }))
}

/** Makes environments available again whose stop job has no result for long. */
const giveUpStopping: Step = (platform, signal) => {
  const due = { column: 'stopping_since', moment: stoppingSince(platform) } as const
  return forEachDue(platform, due, signal, ({ id }) => platform.database.write((tx) => endStopping(platform, tx, id)))
}

/** Deletes review apps that were scheduled for it and are still stopped. */
const deleteDue: Step = (platform, signal) => {
  const due = { column: 'delete_at', moment: now(platform.clock) } as const
  return forEachDue(platform, due, signal, ({ id }) =>
    platform.database.write(async (tx) => {
      const stopped = await moveEnvironment(tx, id, ['stopped'], { delete_at: null })
      if (stopped) await removeEnvironment(platform, tx, stopped)
    }),
  )
}

/** Stops and deletes environments by the clock (contract 24, Environments in CI, x.environments_delete_review_apps). */
export const dueEnvironmentsJob: Job<null> = {
  kind: 'environments.due',
  every: { seconds: periodSeconds },
  when: (platform) => anyIsDue(now(platform.clock), stoppingSince(platform)),
  async run(platform, _, { signal }) {
    for (const step of [stopDue, giveUpStopping, deleteDue]) {
      signal.throwIfAborted()
      await step(platform, signal)
    }
  },
}
