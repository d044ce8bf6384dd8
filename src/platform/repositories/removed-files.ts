import { portions, type Tx } from '../../infra/database/index.ts'
import { diskPath, GitError } from '../../infra/git/index.ts'
import { enqueue, type Job } from '../jobs/jobs.ts'
import type { Platform } from '../platform.ts'
import { deferDuringBackup } from '../storage/during-backup.ts'
import { forgetRemoved, removedRepositories } from './store/repositories.ts'

const hourSeconds = 3600
const daySeconds = 24 * hourSeconds
const portion = 100

/**
 * Deletes the files of repositories whose rows are gone (contract 21 R6, "Removal order"). It runs hourly as well, for
 * files that could not be deleted before.
 */
export const removeFilesJob: Job<null> = {
  kind: 'repositories.remove_files',
  queue: 'removal',
  every: { seconds: hourSeconds },
  async run(platform, _, { signal }) {
    const { read } = platform.database
    // A snapshot may have the rows.
    await deferDuringBackup(platform)
    let firstError: unknown
    for await (const rows of portions((afterId) => removedRepositories(read, portion, afterId))) {
      for (const row of rows) {
        signal.throwIfAborted()
        // One that cannot be removed does not delay the others.
        await removeFiles(platform, row).catch((error) => {
          firstError ??= error
        })
      }
    }
    if (firstError !== undefined) throw firstError
  },
}

/** Deletes half-made and half-removed directories that killed processes left behind. No row names them. */
export const sweepJob: Job<null> = {
  kind: 'repositories.sweep',
  queue: 'removal',
  every: { seconds: daySeconds },
  async run({ config, git, clock }) {
    const age = { olderThanMs: daySeconds * 1000, now: clock.now() }
    for (const storage of Object.keys(config.storages)) await git.sweep(storage, age)
  },
}

/** Enqueues the deletion of the files that `rememberRemoved` has noted in the same transaction. */
export async function removeFilesLater(platform: Platform, tx: Tx): Promise<void> {
  await enqueue(platform, tx, removeFilesJob, null, { orderKey: removeFilesJob.kind })
}

type Removed = { id: number; storage: string; disk_path: string }

/** @throws GitError when the files cannot be deleted; Error for a path that is not one of a repository */
async function removeFiles({ git, database }: Platform, { id, storage, disk_path }: Removed): Promise<void> {
  const path = diskPath(disk_path)
  if (path === null) throw new Error(`removed repository ${id} has no legal path`)
  try {
    await git.repository({ storage, diskPath: path }).remove()
  } catch (error) {
    // A push to a deleted project ends with a sentence of the gate. The next hourly run deletes the files.
    if (error instanceof GitError && error.code === 'repository_in_use') return
    throw error
  }
  await database.write((tx) => forgetRemoved(tx, id))
}
