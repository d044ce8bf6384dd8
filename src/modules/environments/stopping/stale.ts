import { type Actor, badRequest, requireSignedIn } from '../../../api/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { protectionOf } from '../core/protection.ts'
import { deployedSince } from '../deployments/store.ts'
import { eachByItself, stop } from './stopping.ts'
import { unchangedSince } from './store.ts'

const batchSize = 200
const weekMs = 7 * 86_400_000
const mostYears = 10

/** Stops the unprotected environments of a project that were neither changed nor deployed to since a moment. */
export const stopStaleJob: Job<{ projectId: number; before: string; userId: number }> = {
  kind: 'environments.stop_stale',
  async run(platform, { projectId, before, userId }, { signal }) {
    const { database } = platform
    for (let afterId = 0; ; ) {
      signal.throwIfAborted()
      const rows = await unchangedSince(database.read, { projectId, before, afterId }, batchSize)
      const ids = rows.map(({ id }) => id)
      const inUse = await deployedSince(database.read, ids, before)
      const { isProtected } = await protectionOf(platform, database.read, projectId, rows)
      const stale = rows.filter((row) => !inUse.has(row.id) && !isProtected(row))
      await eachByItself(platform, stale, signal, (row) => stop(platform, row, { userId }))
      if (rows.length < batchSize) return
      afterId = rows.at(-1)?.id ?? afterId
    }
  },
}

/** Has the stale environments of a project stopped in the background (contract 24, x.environments_stop_stale). @throws ApiError 400 */
export async function stopStale(platform: Platform, project: Project, actor: Actor, before: string): Promise<void> {
  const { database, clock } = platform
  const { userId } = requireSignedIn(actor)
  const moment = clock.now()
  const earliest = new Date(moment)
  earliest.setUTCFullYear(earliest.getUTCFullYear() - mostYears)
  const beforeMs = Date.parse(before)
  if (beforeMs < earliest.getTime() || beforeMs > moment.getTime() - weekMs) throw badRequest('Invalid Date')
  const payload = { projectId: project.id, before: new Date(beforeMs).toISOString(), userId }
  await database.write((tx) => enqueue(platform, tx, stopStaleJob, payload))
}
