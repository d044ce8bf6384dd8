import type { Tx } from '../../../infra/database/index.ts'
import { branchName, isZeroOid, type RefChange, type Repository, tagName } from '../../../infra/git/index.ts'
import type { AppliedChange, Platform, RefListener } from '../../platform.ts'
import { react } from '../../reactions.ts'
import { repositoryAt } from '../on-disk.ts'
import { RepositoryMoving } from '../refusals.ts'
import {
  deleteIntent,
  isSameChange,
  lockOpenIntent,
  lockRivals,
  settleIntent,
  withdrawChanges,
} from '../store/intents.ts'
import { holdWritable, raiseGeneration, repositoryById } from '../store/repositories.ts'
import type { RepositoryRow } from '../tables.ts'
import type { RefWriter } from './writer.ts'

declare module '../../platform.ts' {
  interface Events {
    /** Refs of a repository have moved, also those that no push can change, or it was created. */
    'repository.changed': { repositoryId: number }
  }
}

/** A change of refs that was begun and is not recorded. */
export type Intent = { id: number; changes: readonly RefChange[] }

/**
 * The process that settles an intent: the one whose git has made the changes; the one that stored it, which only sees their effect; or
 * another one, to which that one seems to have ended.
 */
export type Settler = 'maker' | 'owner' | 'another'

/**
 * Another process has recorded some changes of an intent: this one had lost its connection and seemed to have ended, or the other
 * one made the same changes.
 */
class SettledByAnother extends Error {
  readonly refs: ReadonlySet<string>
  constructor(refs: ReadonlySet<string>) {
    super('another process has settled this change of refs')
    this.refs = refs
  }
}

/**
 * Records moved refs: what the listeners write, and the new generation, in one transaction.
 * @returns false when the repository was removed meanwhile, so that there is nothing to record
 */
export async function record(
  platform: Platform,
  applied: AppliedChange,
  intentId: number,
  by: Settler = 'maker',
): Promise<boolean> {
  try {
    return await recordMoved(platform, applied, intentId, by)
  } catch (error) {
    if (error instanceof SettledByAnother) {
      const changes = applied.changes.filter(({ ref }) => !error.refs.has(ref))
      return record(platform, { ...applied, changes }, intentId, by)
    }
    if (await isRemoved(platform, applied.row)) return false
    throw error
  }
}

/** The listeners, each with the branches and tags that moved. Nothing follows from moved notes. */
export function listenersOf({ gate }: Platform, applied: AppliedChange): [RefListener, AppliedChange][] {
  const changes = applied.changes.filter(({ ref }) => branchName(ref) !== null || tagName(ref) !== null)
  return changes.length === 0 ? [] : gate.listeners.map((listener) => [listener, { ...applied, changes }])
}

export async function isRemoved({ database }: Platform, { id }: RepositoryRow): Promise<boolean> {
  return (await repositoryById(database.read, id)) === null
}

async function recordMoved(
  platform: Platform,
  applied: AppliedChange,
  intentId: number,
  by: Settler,
): Promise<boolean> {
  const { row, repository, changes } = applied
  const recorders = await Promise.all(
    listenersOf(platform, applied).map(([listener, moved]) => listener.prepare?.(platform, moved)),
  )
  const generation = await platform.database.write(async (tx) => {
    const rivals = await lockRivals(tx, row.id, intentId, changes)
    const closed = await closeIntent(tx, { id: intentId, changes }, by)
    if (closed === 'before') return 'recorded'
    if (changes.length === 0) return 'recorded'
    await withdrawChanges(tx, rivals, changes)
    for (const recordRefs of recorders) await recordRefs?.(tx)
    await react(platform, tx, 'repository.changed', { repositoryId: row.id })
    // A move waits for open intents. Without one, the repository may have been copied before the refs moved.
    if (closed === 'missing' && (await holdWritable(tx, row)) === false) throw new RepositoryMoving()
    return raiseGeneration(tx, row.id)
  })
  if (typeof generation === 'number') repository.deriveRefs(generation, generation - 1, changes)
  return generation !== null
}

/**
 * Closes the intent of changes that are recorded in the same transaction.
 * @returns `missing` when another process has dropped it before its refs had moved, `before` when another process has recorded it
 * @throws SettledByAnother when another process has recorded some of the changes
 */
async function closeIntent(
  tx: Tx,
  { id, changes }: Pick<Intent, 'id' | 'changes'>,
  by: Settler,
): Promise<'open' | 'missing' | 'before'> {
  const left = by === 'maker' ? null : await lockOpenIntent(tx, id)
  const withdrawn = left ? changes.filter((change) => !left.some((one) => isSameChange(one, change))) : []
  if (withdrawn.length > 0) throw new SettledByAnother(new Set(withdrawn.map(({ ref }) => ref)))
  if (by === 'another') return left && (await settleIntent(tx, id, changes)) ? 'open' : 'before'
  const intent = await deleteIntent(tx, id)
  if (!intent?.settled) return intent ? 'open' : 'missing'
  const recorded = new Set(intent.updates.map(({ ref }) => ref))
  if (changes.some(({ ref }) => recorded.has(ref))) throw new SettledByAnother(recorded)
  return 'missing'
}

/** Removes an intent whose changes the gate has not recorded; refs outside the gate may have moved. */
export async function dropIntent(platform: Platform, { id }: RepositoryRow, intentId: number): Promise<void> {
  await platform.database.write(async (tx) => {
    await deleteIntent(tx, intentId)
    await react(platform, tx, 'repository.changed', { repositoryId: id })
  })
}

/** Those changes that took effect, as read from the repository. */
export async function appliedOf(repository: Repository, changes: readonly RefChange[]): Promise<RefChange[]> {
  const tips = await repository.tips(changes.map(({ ref }) => ref))
  return changes.filter((change, index) => (isZeroOid(change.new) ? tips[index] === null : tips[index] === change.new))
}

/**
 * Records those changes of an intent that took effect, as read from the repository, unless another process has recorded them.
 * @param isClaimed whether some of these changes may be those of a process that lives; then nothing is recorded
 */
export async function settle(
  platform: Platform,
  row: RepositoryRow,
  intent: Intent,
  writer: RefWriter,
  by: Settler = 'owner',
  isClaimed: (applied: readonly RefChange[]) => Promise<boolean> = async () => false,
): Promise<void> {
  const repository = repositoryAt(platform, row)
  if (!(await repository.exists())) return dropIntent(platform, row, intent.id)
  const applied = await appliedOf(repository, intent.changes)
  if (applied.length === 0) return dropIntent(platform, row, intent.id)
  if (await isClaimed(applied)) return
  // The process that moved them may have been killed before it had synced them.
  await repository.syncRefs(applied.map(({ ref }) => ref))
  await record(platform, { row, repository, changes: applied, writer }, intent.id, by)
}
