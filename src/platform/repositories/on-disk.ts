import { diskPath, GitError, type RefName, type Repository, refName } from '../../infra/git/index.ts'
import type { Platform } from '../platform.ts'
import { markMade, repositoryById } from './store/repositories.ts'
import type { RepositoryRow } from './tables.ts'

const defaultHead = refName('refs/heads/main') as RefName

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
  // It was removed meanwhile, after its files, or moved to another storage, where the next reader creates it.
  const current = await repositoryById(database.read, row.id)
  if (current?.storage !== row.storage) await repository.remove()
}
