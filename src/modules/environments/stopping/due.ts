import { now } from '../../../infra/database/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { removeEnvironment } from '../core/environments.ts'
import { moveEnvironment } from '../core/store.ts'
import { stop } from './stopping.ts'
import { anyIsDue, dueBy } from './store.ts'

/** How often environments that are due are looked for (contract 24, Environments in CI). */
const periodSeconds = 300
const batchSize = 500
/** How long the stop job of an environment is waited for. */
const stoppingMs = 7 * 86_400_000

const stoppingSince = ({ clock }: Platform) => new Date(clock.now().getTime() - stoppingMs).toISOString()

/** Stops environments whose time is over. */
async function stopDue(platform: Platform): Promise<void> {
  const { database, clock } = platform
  for (const row of await dueBy(database.read, 'auto_stop_at', now(clock), batchSize)) {
    await stop(platform, row, { isAutomatic: true })
  }
}

/** Makes environments available again whose stop job has no result for long. */
async function giveUpStopping(platform: Platform): Promise<void> {
  const { database, clock } = platform
  for (const { id } of await dueBy(database.read, 'stopping_since', stoppingSince(platform), batchSize)) {
    const changes = { state: 'available', stopping_since: null, updated_at: now(clock) } as const
    await database.write((tx) => moveEnvironment(tx, id, ['stopping'], changes))
  }
}

/** Deletes review apps that were scheduled for it and are still stopped. */
async function deleteDue(platform: Platform): Promise<void> {
  const { database, clock } = platform
  for (const { id } of await dueBy(database.read, 'delete_at', now(clock), batchSize)) {
    await database.write(async (tx) => {
      const stopped = await moveEnvironment(tx, id, ['stopped'], { delete_at: null })
      if (stopped) await removeEnvironment(platform, tx, stopped)
    })
  }
}

/** Stops and deletes environments by the clock (contract 24, Environments in CI, x.environments_delete_review_apps). */
export const dueEnvironmentsJob: Job<null> = {
  kind: 'environments.due',
  every: { seconds: periodSeconds },
  when: (platform) => anyIsDue(now(platform.clock), stoppingSince(platform)),
  async run(platform, _, { signal }) {
    for (const step of [stopDue, giveUpStopping, deleteDue]) {
      signal.throwIfAborted()
      await step(platform)
    }
  },
}
