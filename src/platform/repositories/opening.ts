import { notFound } from '../../api/index.ts'
import type { RefSnapshot, Repository } from '../../infra/git/index.ts'
import type { Platform } from '../platform.ts'
import { openRow } from './on-disk.ts'
import { refsAt } from './refs.ts'
import { RepositoryMoving } from './refusals.ts'
import { repositoryOfProject } from './store/repositories.ts'
import type { RepositoryKind, RepositoryRow } from './tables.ts'

/** A repository opened for a request: its row, the git repository, and the refs as of the row's generation. */
export type OpenedRepository = { row: RepositoryRow; repository: Repository; snapshot: RefSnapshot }

/**
 * Opens the repository of a project.
 * @throws ApiError 404 `Repository` when the project has none
 */
export async function openRepository(
  platform: Platform,
  project: { id: number },
  kind: RepositoryKind = 'project',
): Promise<OpenedRepository> {
  const row = await repositoryOfProject(platform.database.read, project.id, kind)
  if (!row) throw notFound('Repository')
  const repository = await openRow(platform, row)
  return { row, repository, snapshot: await refsAt(platform, row, repository) }
}

/**
 * Opens the repository of a project for a change.
 * @throws ApiError 404 as `openRepository`; RepositoryMoving, 400, while the repository is being moved (contract 01, "Pushing by git")
 */
export async function openRepositoryForWriting(platform: Platform, project: { id: number }): Promise<OpenedRepository> {
  const opened = await openRepository(platform, project)
  if (opened.row.read_only) throw new RepositoryMoving()
  return opened
}
