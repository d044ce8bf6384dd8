import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { afterPush, type PushRow, pushJob } from '../../events/index.ts'
import { runAfter, runNow } from '../schedule.ts'
import type { RemoteMirrorRow } from '../tables.ts'
import { pauseMs } from './run.ts'
import { remoteMirrorsOfRepository } from './store.ts'

const table = 'remote_mirrors'

/** Runs the push mirrors of a repository. A mirror that ran recently waits, so that many pushes make one run. */
async function runAfterPush(platform: Platform, { repository_id: repositoryId }: PushRow): Promise<void> {
  const { database, clock } = platform
  const mirrors = await remoteMirrorsOfRepository(database.read, repositoryId)
  if (mirrors.length === 0) return
  const nowMs = clock.now().getTime()
  const isPausing = (mirror: RemoteMirrorRow) =>
    mirror.last_update_started_at !== null && Date.parse(mirror.last_update_started_at) + pauseMs(mirror) > nowMs
  const byDelay = Map.groupBy(mirrors, (mirror) => (isPausing(mirror) ? pauseMs(mirror) : 0))
  await database.write(async (tx) => {
    for (const [ms, group] of byDelay) {
      const ids = group.map(({ id }) => id)
      await (ms === 0 ? runNow(platform, tx, table, ids) : runAfter(platform, tx, table, ids, ms))
    }
  })
}

export const pushedJob = pushJob('pushes.mirrors', runAfterPush)

const enqueueJob = afterPush(pushedJob)

/** Enqueues the update of push mirrors after a push; costs one query where there is none. */
export const updatePushMirrors: Reaction<Events['refs.pushed']> = async (platform, tx, pushed) => {
  if ((await remoteMirrorsOfRepository(tx, pushed.repositoryId)).length > 0) await enqueueJob(platform, tx, pushed)
}
