import { parseOid, type RefChange, refName } from '../../infra/git/index.ts'
import type { Job } from '../jobs.ts'
import type { Platform } from '../platform.ts'
import { repositoryAt, settle } from './repositories.ts'
import { deleteIntent, openIntents, repositoryById } from './store.ts'
import type { RecordedChange, RefIntentRow } from './tables.ts'

/** No push takes longer: an older intent belongs to a process that has ended. */
const abandonedMs = 4 * 3_600_000

/** No change of refs takes longer: an older lock file was left behind by a killed process. */
const staleLockMs = 600_000

function asChange(recorded: RecordedChange): RefChange[] {
  const [ref, old, next] = [refName(recorded.ref), parseOid(recorded.old), parseOid(recorded.new)]
  return ref && old && next ? [{ ref, old, new: next }] : []
}

async function settleAfterCrash(platform: Platform, intent: RefIntentRow): Promise<void> {
  const { database, clock } = platform
  const row = await repositoryById(database.read, intent.repository_id)
  if (!row) {
    await database.write((tx) => deleteIntent(tx, intent.id))
    return
  }
  const repository = repositoryAt(platform, row)
  // A killed process may have left its locks. With several nodes, a recent lock may belong to a running process.
  const olderThanMs = database.engine === 'sqlite' ? 0 : staleLockMs
  const changes = intent.updates.flatMap(asChange)
  if (await repository.exists()) {
    await repository.clearStale({ olderThanMs, now: clock.now() })
    await repository.repairRefs(changes)
  }
  await settle(platform, row, { id: intent.id, changes }, { userId: intent.user_id, via: 'git' })
}

/**
 * Settles the intents of processes that were killed between moving refs and recording them. An intent that cannot be
 * settled, for instance of a damaged repository, does not stop the others; it stays for the next run.
 * @param before only intents from before this time
 * @returns how many intents there were
 */
export async function recoverRefs(platform: Platform, before: Date = platform.clock.now()): Promise<number> {
  const intents = await openIntents(platform.database.read, before.toISOString())
  for (const intent of intents) {
    await settleAfterCrash(platform, intent).catch((error) => {
      platform.log.error({ err: error, repository: intent.repository_id }, 'an intent could not be settled')
    })
  }
  return intents.length
}

/** Settles intents that are older than any running push, of all nodes. */
export const settleJob: Job<null> = {
  kind: 'repositories.settle',
  every: { seconds: 600 },
  async run(platform) {
    await recoverRefs(platform, new Date(platform.clock.now().getTime() - abandonedMs))
  },
}
