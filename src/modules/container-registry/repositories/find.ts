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

/** Whether images of a project are served at all. */
export const isServed = (project: ProjectRow) =>
  !project.pending_delete && settingOf(project, 'container_registry_access_level') !== 'disabled'

/** The project of a repository name, whose images are served, and the rest of the name. */
export type ServedProject = Pick<RegistryPlace, 'project' | 'rest'>

/** Finds the projects of repository names (contract 02 R1). Those without a project, and with a disabled registry, are left out. */
export async function servedProjects(db: Reader, names: readonly string[]): Promise<Map<string, ServedProject>> {
  const divided = names.map((name) => ({ name, divisions: divisionsOf(name) }))
  const paths = divided.flatMap(({ divisions }) => divisions.map(({ projectPath }) => projectPath))
  const rows = paths.length === 0 ? new Map<string, ProjectRow>() : await projectsByPaths(db, paths)
  return new Map(
    divided.flatMap(({ name, divisions }): [string, ServedProject][] => {
      const division = divisions.find(({ projectPath }) => rows.has(projectPath))
      const project = division && rows.get(division.projectPath)
      return project && isServed(project) ? [[name, { project, rest: division.rest }]] : []
    }),
  )
}

/**
 * Finds the project of a repository name, and the record of the repository (contract 02 R1).
 * @returns null when no project has the path, or its registry is disabled
 */
export async function findPlace(db: Reader, name: string): Promise<RegistryPlace | null> {
  const served = (await servedProjects(db, [name])).get(name)
  return served ? { ...served, repository: await repositoryOf(db, served.project.id, served.rest) } : null
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

/** Whether requests of a method change nothing. */
export const isReading = (method: string) => method === 'GET' || method === 'HEAD'

/**
 * The place of a request whose token was accepted, in a state that permits the method (contract 02 R5).
 * @throws RegistryProblem 404 NAME_UNKNOWN; 403 DENIED
 */
export async function placeOf(
  db: Reader,
  name: string,
  served: ServedProject | undefined,
  method: string,
): Promise<RegistryPlace> {
  if (!served) throw registryProblem('NAME_UNKNOWN', { detail: { name } })
  const place = { ...served, repository: await repositoryOf(db, served.project.id, served.rest) }
  if (isReading(method)) return place
  requireWritable(place.project)
  if (method !== 'DELETE') requireNotDeleted(place.repository)
  return place
}
