import type { Tx } from '../../../infra/database/index.ts'
import { diskPath, type Repository } from '../../../infra/git/index.ts'
import type { Platform } from '../../platform.ts'
import { repositoryAt } from '../on-disk.ts'
import { hasOpenIntents } from '../store/intents.ts'
import { knownPaths, setStorage } from '../store/repositories.ts'
import type { RepositoryRow } from '../tables.ts'

/** A place on disk that no row of a repository names, or will name no more. */
export type DiskPlace = { storage: string; disk_path: string }

/** A copy differs from its source. */
export class CopyDiffers extends Error {
  override name = 'CopyDiffers'
}

/** How often a move looks whether pushes have been recorded. */
const lookMs = 50

const wait = ({ clock }: Platform, delayMs: number) =>
  new Promise<void>((resolve) => void clock.setTimer(resolve, delayMs))

/**
 * Waits until no change of refs is under way. The repositories must be read-only, so that no further change begins.
 * @returns null; or, after `timeoutMs`, the repository whose change has not ended
 */
export async function untilSettled(
  platform: Platform,
  rows: readonly RepositoryRow[],
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<RepositoryRow | null> {
  const end = platform.clock.now().getTime() + timeoutMs
  for (const row of rows) {
    while (await hasOpenIntents(platform.database.read, row.id)) {
      signal.throwIfAborted()
      if (platform.clock.now().getTime() >= end) return row
      await wait(platform, lookMs)
    }
  }
  return null
}

/** Compares a copy with its source: all refs, HEAD, and that every object exists which refs reach. @throws CopyDiffers */
async function requireEqual(source: Repository, copy: Repository, signal: AbortSignal): Promise<void> {
  if ((await source.refsChecksum({ signal })) !== (await copy.refsChecksum({ signal }))) {
    throw new CopyDiffers('the refs of the copy differ')
  }
  if ((await source.head()) !== (await copy.head())) throw new CopyDiffers('HEAD of the copy differs')
  const { ok, problems } = await copy.fsck({ connectivityOnly: true, signal })
  if (!ok) throw new CopyDiffers(`the copy is not complete: ${problems.slice(0, 3).join('; ')}`)
}

/**
 * Checks a repository that stays in its place, because the storage to which it is moved is the same folder.
 * @throws CopyDiffers when it is missing; StorageAway when the storage is not mounted
 */
export async function requireInPlace(platform: Platform, row: RepositoryRow): Promise<void> {
  await platform.storages.require(row.storage)
  const isThere = row.generation === 0 || (await repositoryAt(platform, row).exists())
  if (!isThere) throw new CopyDiffers(`repository ${row.id} is missing on disk`)
}

/** The places of the copies that a move makes; two names of one folder need none. */
export function copyPlaces({ storages }: Platform, sources: readonly DiskPlace[], storage: string): DiskPlace[] {
  const others = sources.filter((source) => !storages.areSame(source.storage, storage))
  return others.map(({ disk_path }) => ({ storage, disk_path }))
}

/**
 * Copies a repository to the same path in another storage, in place of anything that is left there, and compares the copy.
 * No change of its refs may be under way.
 * @returns false when there is no repository to copy: its row was written, and it was not made on disk yet
 * @throws CopyDiffers, GitError; StorageAway when one of the storages is not mounted
 */
export async function copyToStorage(
  platform: Platform,
  row: RepositoryRow,
  storage: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [source, copy] = [repositoryAt(platform, row), repositoryAt(platform, { ...row, storage })]
  await platform.storages.require(row.storage)
  await copy.remove({ force: true })
  if (row.generation === 0 && !(await source.exists())) return false
  await copy.mirrorFrom(source, { signal })
  await requireEqual(source, copy, signal)
  return true
}

/**
 * Records that read-only repositories are in another storage, and lets them be written.
 * @param absent the repositories that were not on disk when they would have been copied, by id
 * @throws CopyDiffers when one of those was made since, so that there is no copy of it
 */
export async function switchStorage(
  tx: Tx,
  rows: readonly RepositoryRow[],
  storage: string,
  absent: ReadonlySet<number>,
): Promise<void> {
  const generations = await setStorage(
    tx,
    rows.map(({ id }) => id),
    storage,
  )
  for (const [id, generation] of generations) {
    if (generation > 0 && absent.has(id)) throw new CopyDiffers(`repository ${id} was made meanwhile`)
  }
}

function repositoryOf({ git }: Platform, { storage, disk_path }: DiskPlace): Repository {
  const path = diskPath(disk_path)
  if (path === null) throw new Error(`not the path of a repository: ${disk_path}`)
  return git.repository({ storage, diskPath: path })
}

/** Deletes what is at a place, if no row of a repository names it. @param force see `Repository.remove` */
export async function removePlace(platform: Platform, place: DiskPlace, { force = false } = {}): Promise<void> {
  if ((await knownPaths(platform.database.read, place.storage, [place.disk_path])).size > 0) return
  await repositoryOf(platform, place).remove({ force })
}

/** Whether a client fetches from a place, or this process receives a push to it. */
export function isPlaceInUse(platform: Platform, place: DiskPlace): Promise<boolean> {
  return repositoryOf(platform, place).isInUse()
}
