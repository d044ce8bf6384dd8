import type { Clock } from '../../infra/clock/index.ts'
import type { Database, Tx } from '../../infra/database/index.ts'
import { diskPath, type Git, GitError } from '../../infra/git/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import { forgetRemoved, removedRepositories } from './store.ts'

/** Removes the files of repositories whose rows are gone (contract 21 R6, "Removal order"). */
export type RemovedFiles = {
  /** Stores the job that removes what `rememberRemoved` has written down in the same transaction. */
  removeLater(tx: Tx): Promise<void>
}

export type RemovedFilesNeeds = {
  database: Database
  git: Git
  jobs: Jobs
  clock: Clock
  /** Names of all storages. */
  storages: readonly string[]
}

const kind = 'repositories.remove_files'
const sweepKind = 'repositories.sweep'
const hourSeconds = 3600
const daySeconds = 24 * hourSeconds
const portion = 100

const isInUse = (error: unknown) => error instanceof GitError && error.code === 'repository_in_use'

/** Stores the job that removes the files of rows noted by `rememberRemoved`, in the same transaction. */
export async function removeFilesLater({ jobs }: { jobs: Jobs }, tx: Tx): Promise<void> {
  await jobs.enqueue(tx, kind, null, { orderKey: kind })
}

export function createRemovedFiles(needs: RemovedFilesNeeds): RemovedFiles {
  const { database, git, jobs, clock, storages } = needs

  async function removeOne({ id, storage, disk_path }: { id: number; storage: string; disk_path: string }) {
    const path = diskPath(disk_path)
    if (path === null) throw new Error(`removed repository ${id} has no legal place`)
    await git.repository({ storage, diskPath: path }).remove()
    await database.write((tx) => forgetRemoved(tx, id))
  }

  jobs.define<null>({
    kind,
    queue: 'removal',
    async run(_, { signal }) {
      let firstError: unknown
      let rows = await removedRepositories(database.read, portion)
      for (; rows.length > 0; rows = await removedRepositories(database.read, portion, rows.at(-1)?.id)) {
        for (const row of rows) {
          signal.throwIfAborted()
          // One that cannot be removed does not delay the others.
          await removeOne(row).catch((error) => {
            // A push to a deleted project ends with a sentence of the gate; the next hourly run deletes the files.
            if (!isInUse(error)) firstError ??= error
          })
        }
      }
      if (firstError !== undefined) throw firstError
    },
  })
  // What a job has given up on gets another chance.
  jobs.every(kind, hourSeconds, kind)

  // A process that was killed while it copied or deleted leaves a directory that no row speaks of.
  jobs.define<null>({
    kind: sweepKind,
    queue: 'removal',
    async run() {
      for (const storage of storages) await git.sweep(storage, { olderThanMs: daySeconds * 1000, now: clock.now() })
    },
  })
  jobs.every(sweepKind, daySeconds, sweepKind)

  return {
    removeLater: (tx) => removeFilesLater(needs, tx),
  }
}
