import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, now } from '../../infra/database/index.ts'
import {
  branchName,
  diskPath,
  GitError,
  type Incoming,
  isZeroOid,
  type RefChange,
  type RefName,
  type RefSnapshot,
  type Repository,
  refName,
  tagName,
} from '../../infra/git/index.ts'
import { refsLock } from '../during-backup.ts'
import type { AppliedChange, Platform, ProposedChange, RefListener } from '../platform.ts'
import { react } from '../reactions.ts'
import { settleWhenAvailable } from './deferred.ts'
import type { RefMover } from './mover.ts'
import { RefRefused, RepositoryMoving, readOnly } from './refusals.ts'
import { deleteIntent, holdWritable, insertIntent, markMade, raiseGeneration, repositoryById } from './store.ts'
import type { RepositoryRow } from './tables.ts'

declare module '../platform.ts' {
  interface Events {
    /** Refs of a repository have moved, also those that no push can change, or it was created. */
    'repository.changed': { repositoryId: number }
  }
}

/** The gate of one push: decides before refs move, and records them afterwards. */
type PushSession = {
  preReceive(
    change: Omit<ProposedChange, 'row' | 'mover'> & { pushOptions: readonly string[] },
  ): Promise<readonly string[] | null>
  postReceive(repository: Repository, changes: readonly RefChange[]): Promise<readonly string[]>
  /** Settles an intent that was not recorded. Must be called after git has ended, in any case. */
  finish(): Promise<void>
}

const gone = 'The project you were looking for could not be found.'
const removedDuringPush = 'The project was deleted during this push, and the pushed changes were deleted with it.'

const defaultHead = refName('refs/heads/main') as RefName

/** Asks the gate's rules in order. @returns the sentences of the first rule that refuses; null when all accept */
async function refusal(platform: Platform, change: ProposedChange): Promise<readonly string[] | null> {
  for (const rule of platform.gate.rules) {
    const sentences = await rule(platform, change)
    if (sentences) return sentences
  }
  return null
}

/** Opens a repository, whether or not it exists on disk. */
export function repositoryAt({ git }: Platform, row: RepositoryRow): Repository {
  const path = diskPath(row.disk_path)
  if (path === null) throw new Error(`repository ${row.id} has no legal path`)
  return git.repository({ storage: row.storage, diskPath: path })
}

/** Opens a repository, and creates it on disk first when its row is new. @param head the default branch of a new repository */
export async function openRow(
  platform: Platform,
  row: RepositoryRow,
  head: RefName = defaultHead,
): Promise<Repository> {
  const repository = repositoryAt(platform, row)
  if (row.generation === 0) await create(platform, row, repository, head)
  return repository
}

/** Creates the repository of a new row on disk. @throws GitError `repository_exists` when its directory holds objects already */
async function create(platform: Platform, row: RepositoryRow, repository: Repository, head: RefName): Promise<void> {
  const { database } = platform
  await repository.init({ defaultBranch: head, objectFormat: row.object_format }).catch(async (error) => {
    if (!(error instanceof GitError) || error.code !== 'repository_exists') throw error
    // Another request may have created and filled it meanwhile. A fork is read-only while it is filled.
    const current = await repositoryById(database.read, row.id)
    if (!current || (current.generation === 0 && !current.read_only)) throw error
  })
  if (await database.write((tx) => markMade(tx, row))) return
  // It was moved to another storage meanwhile, where the next reader creates it.
  if (await isElsewhere(platform, row)) await repository.remove()
}

/** Whether a repository was moved to another storage since its row was read. */
async function isElsewhere({ database }: Platform, { id, storage }: RepositoryRow): Promise<boolean> {
  const current = await repositoryById(database.read, id)
  return current !== null && current.storage !== storage
}

/** Reads the refs as of the row's generation. */
export async function refsOf(platform: Platform, row: RepositoryRow): Promise<RefSnapshot> {
  return (await openRow(platform, row)).refs(row.generation)
}

/**
 * Records moved refs: what the listeners write, and the new generation, in one transaction.
 * @returns false when the repository was removed meanwhile, so that there is nothing to record
 */
async function record(platform: Platform, applied: AppliedChange, intentId: number): Promise<boolean> {
  return recordMoved(platform, applied, intentId).catch(async (error) => {
    if (await isRemoved(platform, applied.row)) return false
    throw error
  })
}

/** The listeners, each with the branches and tags that moved. Nothing follows from moved notes. */
function listenersOf({ gate }: Platform, applied: AppliedChange): [RefListener, AppliedChange][] {
  const changes = applied.changes.filter(({ ref }) => branchName(ref) !== null || tagName(ref) !== null)
  return changes.length === 0 ? [] : gate.listeners.map((listener) => [listener, { ...applied, changes }])
}

async function isRemoved({ database }: Platform, { id }: RepositoryRow): Promise<boolean> {
  return (await repositoryById(database.read, id)) === null
}

async function recordMoved(platform: Platform, applied: AppliedChange, intentId: number): Promise<boolean> {
  const { row, repository, changes } = applied
  const recorders = await Promise.all(
    listenersOf(platform, applied).map(([listener, moved]) => listener.prepare?.(platform, moved)),
  )
  const generation = await platform.database.write(async (tx) => {
    // If another node has settled the intent meanwhile, the changes are recorded twice: at least once, never lost.
    const wasOpen = await deleteIntent(tx, intentId)
    for (const recordRefs of recorders) await recordRefs?.(tx)
    await react(platform, tx, 'repository.changed', { repositoryId: row.id })
    // A move waits for open intents. Without one, the repository may have been copied before the refs moved.
    if (!wasOpen && (await holdWritable(tx, row)) === false) throw new RepositoryMoving()
    return raiseGeneration(tx, row.id)
  })
  if (generation !== null) repository.deriveRefs(generation, generation - 1, changes)
  return generation !== null
}

/** Removes an intent whose changes the gate has not recorded; refs outside the gate may have moved. */
async function dropIntent(platform: Platform, { id }: RepositoryRow, intentId: number): Promise<void> {
  await platform.database.write(async (tx) => {
    await deleteIntent(tx, intentId)
    await react(platform, tx, 'repository.changed', { repositoryId: id })
  })
}

/** A backup takes its snapshot at this moment. */
class SnapshotTaken extends Error {}

/** A snapshot is taken in a fraction of a second; a command that hangs must not stop pushes for long. */
const longestSnapshotMs = 30_000
const snapshotDelayMs = 20

/**
 * Stores the intent of a change before refs move. While a backup takes its snapshot, the change waits.
 * @throws RefRefused when the repository is read-only or removed; DatabaseUnavailable when the snapshot takes too long
 */
async function storeIntent(
  platform: Platform,
  row: RepositoryRow,
  changes: readonly RefChange[],
  mover: RefMover,
): Promise<number> {
  const { database, clock } = platform
  for (let waitedMs = 0; ; waitedMs += snapshotDelayMs) {
    try {
      return await database.write(async (tx) => {
        if (await database.isHeld(refsLock, tx)) throw new SnapshotTaken('a backup takes its snapshot')
        const isWritable = await holdWritable(tx, row)
        if (!isWritable) throw new RefRefused([isWritable === null ? gone : readOnly])
        return insertIntent(tx, { repositoryId: row.id, userId: mover.userId, updates: changes, now: now(clock) })
      })
    } catch (error) {
      if (!(error instanceof SnapshotTaken)) throw error
      if (waitedMs >= longestSnapshotMs) throw new DatabaseUnavailable(error)
    }
    // Real time: the command is another process.
    await sleep(snapshotDelayMs)
  }
}

/**
 * Runs work that changes a repository without the gate: refs that clients cannot push, and HEAD. A move to another storage waits
 * for it.
 * @throws RepositoryMoving while the repository is read-only, or when it was moved since its row was read
 */
export async function outsideGate<T>(platform: Platform, row: RepositoryRow, work: () => Promise<T>): Promise<T> {
  // An intent without changes: settling it only removes it.
  const intentId = await storeIntent(platform, row, [], { userId: null, via: 'api' }).catch((error) => {
    throw error instanceof RefRefused && error.isMoving ? new RepositoryMoving() : error
  })
  try {
    return await work()
  } finally {
    await dropIntent(platform, row, intentId).catch((error) => {
      if (error instanceof DatabaseUnavailable) {
        settleWhenAvailable(platform, intentId, () => dropIntent(platform, row, intentId))
      }
      throw error
    })
  }
}

/** Records those changes of an intent that took effect, as read from the repository. */
export async function settle(
  platform: Platform,
  row: RepositoryRow,
  intent: { id: number; changes: readonly RefChange[] },
  mover: RefMover,
): Promise<void> {
  const repository = repositoryAt(platform, row)
  if (!(await repository.exists())) return dropIntent(platform, row, intent.id)
  const tips = await repository.tips(intent.changes.map(({ ref }) => ref))
  const applied = intent.changes.filter((change, index) => {
    return isZeroOid(change.new) ? tips[index] === null : tips[index] === change.new
  })
  if (applied.length === 0) return dropIntent(platform, row, intent.id)
  // The process that moved them may have been killed before it had synced them.
  await repository.syncRefs(applied.map(({ ref }) => ref))
  await record(platform, { row, repository, changes: applied, mover }, intent.id)
}

/** Runs a step that settles an intent. When the database is lost during it, the intent is settled later. */
async function orLater<T>(
  platform: Platform,
  row: RepositoryRow,
  intent: { id: number; changes: readonly RefChange[] },
  mover: RefMover,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) {
      settleWhenAvailable(platform, intent.id, () => settle(platform, row, intent, mover))
    }
    throw error
  }
}

/**
 * Asks the gate, moves refs, all or none, and records them.
 * @param incoming new objects in quarantine; they are admitted when the gate accepts
 * @throws RefRefused when a rule refuses; RefConflict when a ref is not at `old`
 */
export async function changeRefs(
  platform: Platform,
  row: RepositoryRow,
  changes: readonly RefChange[],
  mover: RefMover,
  incoming?: Pick<Incoming, 'quarantine' | 'admit'>,
): Promise<void> {
  const repository = await openRow(platform, row)
  const refused = await refusal(platform, { row, repository, changes, mover, quarantine: incoming?.quarantine })
  if (refused) throw new RefRefused(refused)
  const id = await storeIntent(platform, row, changes, mover)
  const intent = { id, changes }
  try {
    await incoming?.admit()
    await repository.updateRefs(changes)
  } catch (error) {
    // The process may have been killed after the refs had moved.
    await orLater(platform, row, intent, mover, () => settle(platform, row, intent, mover))
    throw (await isRemoved(platform, row)) ? new RefRefused([gone]) : error
  }
  const isRecorded = await orLater(platform, row, intent, mover, () =>
    record(platform, { row, repository, changes, mover }, id),
  )
  if (!isRecorded) throw new RefRefused([gone])
}

/** Creates the gate of one push, which `receive-pack` asks before and after it moves refs. */
export function pushGate(platform: Platform, row: RepositoryRow, mover: RefMover): PushSession {
  const { database } = platform
  let intent: { id: number; changes: readonly RefChange[] } | undefined
  return {
    async preReceive({ repository, changes, quarantine, pushOptions }) {
      mover.pushOptions = pushOptions
      const current = await repositoryById(database.read, row.id)
      if (!current) return [gone]
      try {
        const refused = await refusal(platform, { row: current, repository, changes, mover, quarantine })
        if (refused) return refused
        intent = { id: await storeIntent(platform, row, changes, mover), changes }
        return null
      } catch (error) {
        if (error instanceof RefRefused) return error.sentences
        if (await isRemoved(platform, row)) return [gone]
        throw error
      }
    },
    async postReceive(repository, changes) {
      if (!intent) throw new Error('refs moved although the gate was not asked')
      const applied = { row, repository, changes, mover }
      const isRecorded = await record(platform, applied, intent.id)
      intent = undefined
      if (!isRecorded) return [removedDuringPush]
      const messages = await Promise.all(
        listenersOf(platform, applied).map(([listener, moved]) => listener.afterPush?.(platform, moved) ?? []),
      )
      return messages.flat()
    },
    async finish() {
      const unsettled = intent
      if (unsettled) await orLater(platform, row, unsettled, mover, () => settle(platform, row, unsettled, mover))
    },
  }
}
