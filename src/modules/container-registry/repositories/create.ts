import type { Tx } from '../../../infra/database/index.ts'
import { projectById } from '../../projects/index.ts'
import { registryProblem } from '../http/problems.ts'
import type { RegistryRepositoryRow } from '../tables.ts'
import { isServed, type RegistryPlace, requireNotDeleted, requireWritable } from './find.ts'
import { repositoryPath } from './names.ts'
import { insertRepository, shareRepository } from './store.ts'

/**
 * The record of a repository, created when it is missing. Call it in the transaction that commits content: the states of
 * the project and of the repository may have changed since the request began (contract 02 R5). The record cannot be deleted
 * until the transaction ends. Of several first pushes at once one creates the record.
 * @throws RegistryProblem 404 NAME_UNKNOWN; 403 DENIED
 */
export async function ensureRepository(
  tx: Tx,
  { project: { id }, rest }: Pick<RegistryPlace, 'project' | 'rest'>,
  now: string,
): Promise<RegistryRepositoryRow> {
  const project = await projectById(tx, id)
  if (!project || !isServed(project)) throw registryProblem('NAME_UNKNOWN')
  requireWritable(project)
  let repository = await shareRepository(tx, id, rest)
  if (!repository) {
    await insertRepository(tx, { projectId: id, name: rest, path: repositoryPath(project, rest), now })
    repository = await shareRepository(tx, id, rest)
  }
  if (!repository) throw registryProblem('NAME_UNKNOWN')
  requireNotDeleted(repository)
  return repository
}
