import type { Reader } from '../../../infra/database/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { refusesWrites, settingOf } from '../../projects/index.ts'
import { registryProblem } from '../http/problems.ts'
import type { RegistryRepositoryRow } from '../tables.ts'
import { divisionsOf } from './names.ts'
import { projectsByPaths, repositoryOf } from './store.ts'

/** Where a repository name leads. */
export type RegistryPlace = {
  project: ProjectRow
  /** What follows the path of the project; empty for the repository of the project itself. */
  rest: string
  /** Null until the first content is committed. */
  repository: RegistryRepositoryRow | null
}

/** Whether images of a project are served at all; who may use them is in the token (contract 02 R3). */
export const isServed = (project: ProjectRow) =>
  !project.pending_delete && settingOf(project, 'container_registry_access_level') !== 'disabled'

/**
 * Finds the project of a repository name, and the record of the repository (contract 02 R1).
 * @returns null when no project has the path, or its registry is disabled
 */
export async function findPlace(db: Reader, name: string): Promise<RegistryPlace | null> {
  const divisions = divisionsOf(name)
  const projects = await projectsByPaths(
    db,
    divisions.map(({ projectPath }) => projectPath),
  )
  for (const { projectPath, rest } of divisions) {
    const project = projects.get(projectPath)
    if (!project) continue
    if (!isServed(project)) return null
    return { project, rest, repository: await repositoryOf(db, project.id, rest) }
  }
  return null
}

const isDeleted = (repository: RegistryRepositoryRow | null) =>
  repository?.status === 'delete_scheduled' || repository?.status === 'delete_ongoing'

/** Refuses content for a repository that is being deleted. @throws RegistryProblem 403 */
export function requireNotDeleted(repository: RegistryRepositoryRow | null): void {
  if (isDeleted(repository)) throw registryProblem('DENIED', { message: 'repository is being deleted' })
}

/** Refuses changes to the images of an archived project. @throws RegistryProblem 403 */
export function requireWritable(project: ProjectRow): void {
  if (!refusesWrites(project)) return
  throw registryProblem('DENIED', { message: `project is ${project.archived ? 'archived' : 'being deleted'}` })
}

/**
 * The place of a request whose token was accepted, in a state that permits the method (contract 02 R5).
 * @throws RegistryProblem 404 NAME_UNKNOWN; 403 DENIED
 */
export async function placeOf(db: Reader, name: string, method: string): Promise<RegistryPlace> {
  const place = await findPlace(db, name)
  if (!place) throw registryProblem('NAME_UNKNOWN', { detail: { name } })
  if (method === 'GET' || method === 'HEAD') return place
  requireWritable(place.project)
  if (method !== 'DELETE') requireNotDeleted(place.repository)
  return place
}
