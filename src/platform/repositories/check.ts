import { type Database, portions } from '../../infra/database/index.ts'
import { type DiskPath, diskPath, type Git } from '../../infra/git/index.ts'
import type { RefCheck, Stored } from '../module.ts'
import { openIntents } from './store/intents.ts'
import { knownPaths, repositoriesAfter } from './store/repositories.ts'
import type { RepositoryRow } from './tables.ts'

const portion = 500

/** A push that takes longer than this between moving refs and recording them has been interrupted. */
const interruptedMs = 60_000

/**
 * Finds repositories on disk that have no row, for instance after an older database was restored. Nothing serves them.
 * @param storages names of the storages to search
 * @returns one sentence per repository
 */
export async function strayRepositories(database: Database, git: Git, storages: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  for (const storage of storages) {
    let paths: DiskPath[] = []
    const report = async () => {
      const known = await knownPaths(database.read, storage, paths)
      const strays = paths.filter((path) => !known.has(path))
      for (const path of strays) {
        // It may have been removed since it was listed.
        if (!(await git.repository({ storage, diskPath: path }).exists())) continue
        problems.push(`the directory ${storage}:${path} holds a repository that no row of the database names`)
      }
      paths = []
    }
    for await (const path of git.repositoriesIn(storage)) {
      paths.push(path)
      if (paths.length === portion) await report()
    }
    await report()
  }
  return problems
}

/** A storage contains repositories, but the database is empty: it was lost, or the configuration names another database. */
class RepositoriesWithoutDatabase extends Error {
  constructor(storage: string) {
    super(
      `the database is empty, but the storage ${storage} contains repositories; ` +
        'restore the database that belongs to them, or configure an empty storage',
    )
    this.name = 'RepositoriesWithoutDatabase'
  }
}

/**
 * Checks that an empty database does not serve the storages of another one.
 * @param storages names of the storages
 * @throws RepositoriesWithoutDatabase
 */
export async function requireEmptyStorages(database: Database, git: Git, storages: readonly string[]): Promise<void> {
  const [known] = await repositoriesAfter(database.read, 0, 1)
  if (known) return
  for (const storage of storages) {
    for await (const _ of git.repositoriesIn(storage)) throw new RepositoriesWithoutDatabase(storage)
  }
}

/**
 * Finds changes of refs that were begun and not recorded. The server settles them when it starts.
 * @returns one sentence per change
 */
export async function unsettledIntents(database: Database, now: Date): Promise<string[]> {
  const before = new Date(now.getTime() - interruptedMs).toISOString()
  return (await openIntents(database.read, before)).map(
    ({ id, repository_id, created_at }) =>
      `repository ${repository_id}: the change of refs ${id}, begun at ${created_at}, was interrupted and is not settled`,
  )
}

/** Finds problems of one repository: missing files, damaged objects, refs that differ from rows. */
async function* problemsOf(stored: Stored, row: RepositoryRow, refChecks: readonly RefCheck[]): AsyncGenerator<string> {
  const name = `repository ${row.id} (${row.storage}:${row.disk_path})`
  const path = diskPath(row.disk_path)
  if (path === null) return yield `${name} has an invalid path`
  const repository = stored.git.repository({ storage: row.storage, diskPath: path })
  if (!(await repository.exists())) {
    // Generation 0 means that the row was written before the files.
    if (row.generation > 0) yield `${name} is missing on disk`
    return
  }
  for (const problem of (await repository.fsck()).problems) yield `${name}: ${problem}`
  if (row.project_id === null || row.kind !== 'project') return
  const refs = await repository.refs(row.generation)
  for (const check of refChecks) yield* await check(stored, row.project_id, refs)
}

/**
 * Checks every repository.
 * @param onChecked is called after each
 */
export async function* repositoryProblems(
  stored: Stored,
  refChecks: readonly RefCheck[],
  onChecked: () => void,
): AsyncGenerator<string> {
  for await (const rows of portions((afterId) => repositoriesAfter(stored.database.read, afterId, portion))) {
    for (const row of rows) {
      yield* problemsOf(stored, row, refChecks)
      onChecked()
    }
  }
}
