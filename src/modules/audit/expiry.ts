import type { Job } from '../../platform/index.ts'
import { deleteEventsBefore, shifted } from './store.ts'

const daySeconds = 86_400
const portion = 1000

/** Deletes events that are older than the server keeps them (contract 26 R5). Daily, when load is low. */
export const deleteOldEventsJob: Job<null> = {
  kind: 'audit_events.delete_old',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds: 3.25 * 3600 },
  async run({ database, clock, config }, _, { signal }) {
    if (config.auditKeepDays === 0) return
    const oldest = shifted(clock.now().toISOString(), -config.auditKeepDays * daySeconds * 1000)
    let deleted = portion
    while (deleted === portion) {
      signal.throwIfAborted()
      deleted = await database.write((tx) => deleteEventsBefore(tx, oldest, portion))
    }
  },
}
