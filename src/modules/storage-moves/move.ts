import { now } from '../../infra/database/index.ts'
import { LeaseLost } from '../../infra/jobs/index.ts'
import { enqueue, type Job, type Platform } from '../../platform/index.ts'
import {
  copyPlaces,
  copyToStorage,
  type DiskPlace,
  type RepositoryRow,
  releaseReadOnly,
  removePlace,
  repositoriesOfOwner,
  requireInPlace,
  switchStorage,
  untilSettled,
} from '../../platform/repositories/index.ts'
import { cleanUpJob, graceMs } from './clean-up.ts'
import { kindNamed, type MoveKind } from './kinds.ts'
import { changeState, moveById } from './store.ts'
import type { MoveRow } from './tables.ts'

/** It names the places of the copies, which must be found even when the container was deleted meanwhile. */
type Move = { kind: MoveKind['name']; moveId: number; destination: string; sources: DiskPlace[] }

/** How long a move waits for pushes (contract 10, Job 1). */
const settlingMs = 30_000

/** Moves of one container run one after another, and with the deletion of what the previous one has left. */
export const orderKeyOf = ({ name }: MoveKind, containerId: number): string => `storage_moves:${name}:${containerId}`

class MoveEnded extends Error {}

async function removeCopies(platform: Platform, sources: readonly DiskPlace[], destination: string): Promise<void> {
  for (const place of copyPlaces(platform, sources, destination)) await removePlace(platform, place, { force: true })
}

const repositoriesOf = ({ database }: Platform, kind: MoveKind, { container_id: id }: MoveRow) =>
  repositoriesOfOwner(database.read, kind.ownerOf(id))

/** Ends a move that was not completed: the container stays in its storage, and can be written again. */
async function fail(platform: Platform, kind: MoveKind, move: MoveRow, reason: unknown): Promise<void> {
  const { database, log } = platform
  log.error({ err: reason, move: move.id, kind: kind.name }, 'the move of a repository to another storage failed')
  const rows = await repositoriesOf(platform, kind, move)
  // Only while the move is under way: later, a copy may be that of another move.
  const current = await moveById(database.read, kind, move.id)
  if (current?.state === 'scheduled' || current?.state === 'started') {
    await removeCopies(platform, rows, move.destination_storage_name).catch((error) => {
      log.error({ err: error, move: move.id, kind: kind.name }, 'the copy of a failed move could not be deleted')
    })
  }
  await database.write(async (tx) => {
    if (!(await changeState(tx, kind, move.id, ['scheduled', 'started'], 'failed'))) return
    await releaseReadOnly(
      tx,
      rows.map(({ id }) => id),
    )
  })
}

/**
 * Copies the repositories that are in another storage, and looks that the others are where they are.
 * @returns those that were not on disk, by id
 */
async function copyAll(
  platform: Platform,
  rows: readonly RepositoryRow[],
  destination: string,
  signal: AbortSignal,
): Promise<Set<number>> {
  const absent = new Set<number>()
  for (const row of rows) {
    signal.throwIfAborted()
    if (copyPlaces(platform, [row], destination).length === 0) await requireInPlace(platform, row)
    else if (!(await copyToStorage(platform, row, destination, signal))) absent.add(row.id)
  }
  return absent
}

/** Copies, compares and switches (contract 10, Job 1 to 5). @throws when the move has to fail */
async function replicate(platform: Platform, kind: MoveKind, move: MoveRow, signal: AbortSignal): Promise<void> {
  const { destination_storage_name: destination, container_id: containerId } = move
  const rows = await repositoriesOf(platform, kind, move)
  const busy = await untilSettled(platform, rows, { timeoutMs: settlingMs, signal })
  if (busy) throw new Error(`Timeout waiting for ${busy.kind} repository pushes`)
  await platform.storages.require(destination)
  const absent = await copyAll(platform, rows, destination, signal)
  const moved = rows.filter((row) => copyPlaces(platform, [row], destination).length > 0)
  const left: DiskPlace[] = moved.map(({ storage, disk_path }) => ({ storage, disk_path }))
  signal.throwIfAborted()
  await platform.database.write(async (tx) => {
    if (!(await changeState(tx, kind, move.id, ['started'], 'replicated'))) throw new MoveEnded('the move has ended')
    await switchStorage(tx, rows, destination, absent)
    await kind.touch(tx, containerId, now(platform.clock))
    // Two names of one folder: nothing is left behind.
    if (left.length === 0) return void (await changeState(tx, kind, move.id, ['replicated'], 'finished'))
    const since = platform.clock.now()
    const payload = { kind: kind.name, moveId: move.id, places: left, since: since.toISOString() }
    const runAt = new Date(since.getTime() + graceMs)
    await enqueue(platform, tx, cleanUpJob, payload, { orderKey: orderKeyOf(kind, containerId), runAt })
  })
}

/** Puts a move back into the queue: the server is being stopped, and the next one begins the move again. */
async function postpone({ database }: Platform, kind: MoveKind, move: MoveRow): Promise<void> {
  await database.write((tx) => changeState(tx, kind, move.id, ['started'], 'scheduled'))
}

/**
 * Moves the repositories of a container. A move whose process died has failed: what it did is undone (contract 10, States).
 */
export const moveJob: Job<Move> = {
  kind: 'storage_moves.move',
  queue: 'storage_moves',
  // Each attempt is the death of a process; a move must not stay half done after some of them.
  maxAttempts: 1_000,
  async run(platform, { kind: name, moveId, destination, sources }, { signal }) {
    const { database } = platform
    const kind = kindNamed(name)
    const move = await moveById(database.read, kind, moveId)
    // The container was deleted.
    if (!move) return removeCopies(platform, sources, destination)
    if (move.state === 'started') return fail(platform, kind, move, new Error('the process of the move has ended'))
    if (!(await database.write((tx) => changeState(tx, kind, moveId, ['scheduled'], 'started')))) return
    try {
      await replicate(platform, kind, move, signal)
    } catch (error) {
      if (signal.aborted) {
        if (!(signal.reason instanceof LeaseLost)) await postpone(platform, kind, move)
        throw error
      }
      await fail(platform, kind, move, error)
      if (!(await moveById(database.read, kind, moveId))) await removeCopies(platform, sources, destination)
    }
  },
}
