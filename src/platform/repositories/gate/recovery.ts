import { isShared } from '../../../infra/database/index.ts'
import { parseOid, type RefChange, refName } from '../../../infra/git/index.ts'
import type { Job } from '../../jobs/jobs.ts'
import { type Platform, perPlatform } from '../../platform.ts'
import { repositoryAt } from '../on-disk.ts'
import {
  deleteIntent,
  deleteSettled,
  intentsOfOthers,
  isSameChange,
  openIntents,
  openIntentsOf,
  othersHaveIntents,
} from '../store/intents.ts'
import { repositoryById } from '../store/repositories.ts'
import type { RecordedChange, RefIntentRow, RepositoryRow } from '../tables.ts'
import { othersHaveWritten } from './other-writers.ts'
import { appliedOf, type Intent, settle } from './recording.ts'
import type { RefWriter } from './writer.ts'

/** No push takes longer: an older intent belongs to a process that has ended. */
const abandonedMs = 4 * 3_600_000

/** No change of refs takes longer: an older lock file was left behind by a killed process. */
const staleLockMs = 600_000

/** How long the git processes of a killed process may live on: its spawner ends them within three seconds. */
const orphansMs = 4_000

function asChange(recorded: RecordedChange): RefChange[] {
  const [ref, old, next] = [refName(recorded.ref), parseOid(recorded.old), parseOid(recorded.new)]
  return ref && old && next ? [{ ref, old, new: next }] : []
}

/** What an intent was about to change, and by whose hand. */
function changeIn({ id, updates, user_id }: RefIntentRow): [Intent, RefWriter] {
  return [
    { id, changes: updates.flatMap(asChange) },
    { userId: user_id, via: 'git' },
  ]
}

async function settleForAnother(platform: Platform, intent: RefIntentRow, row: RepositoryRow): Promise<void> {
  // A client may have repeated through another process what it did not know to be done: that one records it, or gives it up.
  const isClaimed = async (applied: readonly RefChange[]) => {
    const living = await openChangesOfLiving(platform, row)
    return applied.some((change) => living.some((other) => isSameChange(other, change)))
  }
  await settle(platform, row, ...changeIn(intent), 'another', isClaimed)
}

async function rowOf({ database }: Platform, intent: RefIntentRow): Promise<RepositoryRow | null> {
  const row = await repositoryById(database.read, intent.repository_id)
  if (!row) await database.write((tx) => deleteIntent(tx, intent.id))
  return row
}

async function settleAfterCrash(platform: Platform, intent: RefIntentRow): Promise<void> {
  const { database, clock } = platform
  const row = await rowOf(platform, intent)
  if (!row) return
  // In a storage that is away no change has an effect, and the intent would be given up.
  await platform.storages.require(row.storage)
  const repository = repositoryAt(platform, row)
  // A killed process may have left its locks. With several nodes, a recent lock may belong to a running process.
  const olderThanMs = isShared(database) ? staleLockMs : 0
  if (await repository.exists()) {
    await repository.clearStale({ olderThanMs, now: clock.now() })
    await repository.repairRefs(intent.updates.flatMap(asChange))
  }
  await settle(platform, row, ...changeIn(intent))
}

function report({ log }: Platform, intent: RefIntentRow) {
  return (error: unknown) => {
    log.error({ err: error, repository: intent.repository_id }, 'an intent could not be settled')
  }
}

/**
 * Settles the intents of processes that were killed between moving refs and recording them. An intent that cannot be
 * settled, for instance of a damaged repository, does not stop the others; it stays for the next run.
 * @param before only intents from before this time; their processes must have ended
 * @returns how many intents there were
 */
export async function recoverRefs(platform: Platform, before: Date = platform.clock.now()): Promise<number> {
  const intents = await openIntents(platform.database.read, before.toISOString())
  for (const intent of intents) await settleAfterCrash(platform, intent).catch(report(platform, intent))
  return intents.length
}

/** Since when processes are known to have ended, by name, in milliseconds since 1970. */
const endedSince = perPlatform(() => new Map<string, number>())

/** No lock of the packed refs or of HEAD is held for as long, except that of a killed process. */
const stalePackedMs = 30_000

/** Deletes the locks that an ended process may have left at refs, unless a process that lives is about to change them as well. */
async function clearLocks(platform: Platform, row: RepositoryRow, changes: readonly RefChange[]): Promise<void> {
  const { clock, log } = platform
  const repository = repositoryAt(platform, row)
  const clear = async (olderThanMs: number, names: readonly string[] = []) => {
    const claimed = new Set((await openChangesOfLiving(platform, row)).map(({ ref }) => ref))
    const free = changes.flatMap(({ ref }) => (claimed.has(ref) ? [] : ref))
    await repository.clearLocks([...free, ...names], { olderThanMs, now: clock.now() })
  }
  await repository.clearStale({ olderThanMs: staleLockMs, now: clock.now() })
  await clear(orphansMs)
  const later = () => clear(stalePackedMs, ['packed-refs', 'HEAD'])
  clock.setTimer(() => {
    later().catch((error) => log.warn({ err: error, repository: row.id }, 'stale locks could not be deleted'))
  }, stalePackedMs)
}

/** The changes of a repository's refs that are under way, without those of ended processes. */
async function openChangesOfLiving(platform: Platform, row: RepositoryRow): Promise<RecordedChange[]> {
  const ended = endedSince(platform)
  const open = await openIntentsOf(platform.database.read, row.id)
  return open.flatMap(({ process, updates }) => (ended.has(process ?? '') ? [] : updates))
}

/**
 * Settles an intent of a process that seems to have ended.
 * @param isCertain whether nothing of that process lives any more; without it, only a change is settled that took effect as a whole
 */
async function settleForEnded(platform: Platform, intent: RefIntentRow, isCertain: boolean): Promise<void> {
  const row = await rowOf(platform, intent)
  if (!row) return
  await platform.storages.require(row.storage)
  const repository = repositoryAt(platform, row)
  const changes = intent.updates.flatMap(asChange)
  if (!(await repository.exists())) {
    if (isCertain) await settleForAnother(platform, intent, row)
    return
  }
  if (isCertain) {
    await clearLocks(platform, row, changes)
    await repository.repairRefs(changes)
  } else if (changes.length === 0 || (await appliedOf(repository, changes)).length < changes.length) return
  await settleForAnother(platform, intent, row)
}

/**
 * Settles what other processes have left that ended: at once where all refs moved, else when their git has ended as well.
 * @returns whether intents of ended processes are left
 */
export async function settleEnded(platform: Platform): Promise<boolean> {
  const { database, presence, clock } = platform
  const since = endedSince(platform)
  const intents = Map.groupBy(await intentsOfOthers(database.read, presence.name()), ({ process }) => process ?? '')
  for (const name of since.keys()) if (!intents.has(name)) since.delete(name)
  const now = clock.now().getTime()
  for (const name of intents.keys()) {
    if (since.has(name) || (name !== '' && !(await presence.hasEnded(name)))) continue
    since.set(name, name === '' ? 0 : now)
  }
  for (const [name, at] of since) {
    const isCertain = now - at >= orphansMs
    for (const intent of intents.get(name) ?? [])
      await settleForEnded(platform, intent, isCertain).catch(report(platform, intent))
  }
  return since.size > 0
}

/** Settles what killed processes have left, before this one serves. On SQLite, all others have ended. */
export async function recoverAtStart(platform: Platform): Promise<void> {
  if (isShared(platform.database)) await settleEnded(platform)
  else await recoverRefs(platform)
}

/** Looks all the time whether other processes have ended, and settles what they have left; has git wait for those that live. On SQLite there are none. */
export function watchProcesses(platform: Platform): void {
  const { database, git, presence, jobs } = platform
  if (!isShared(database)) return
  git.waitForOtherWriters((location) => othersHaveWritten(platform, location))
  jobs.watch({
    // Without its own lock, this process seems to have ended.
    condition: () => othersHaveIntents(presence.name(), presence.isUnknown()),
    async act() {
      await presence.confirm()
      await settleEnded(platform)
    },
  })
}

/** Settles intents that are older than any running push, of all nodes. */
export const settleJob: Job<null> = {
  kind: 'repositories.settle',
  every: { seconds: 600 },
  async run(platform) {
    const before = new Date(platform.clock.now().getTime() - abandonedMs)
    await recoverRefs(platform, before)
    await platform.database.write((tx) => deleteSettled(tx, before.toISOString()))
  },
}
