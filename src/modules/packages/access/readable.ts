import { dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { isFeatureOn } from '../../features/index.ts'
import { lineagesOf } from '../../namespaces/index.ts'
import { callerOf, canSee, type Project, projectsWithRoles } from '../../projects/index.ts'
import { actorOf, type PackageCaller } from './callers.ts'
import { hasPackages, mayReadPackages, openToAll, type PackageProject } from './rights.ts'

/** Which of some projects the deploy token of a caller opens. */
async function openedBy({ database }: Platform, caller: PackageCaller, projects: readonly Project[]) {
  if (caller.kind !== 'deploy_token') return () => false
  const { projectId, namespaceId } = caller
  if (projectId !== null) return ({ id }: Project) => id === projectId
  const lineages = await lineagesOf(
    database.read,
    projects.map(({ namespace_id: id }) => id),
  )
  return (project: Project) =>
    namespaceId !== null && lineages.get(project.namespace_id)?.includes(namespaceId) === true
}

/** Adds whether guests read the packages of the projects; one question for all, about the namespace above them. */
async function withGuestsOf(
  platform: Platform,
  projects: readonly Project[],
  namespaceId: number,
): Promise<PackageProject[]> {
  const asks = ({ visibility, role: { level } }: Project) =>
    visibility === 'private' && level >= role.guest && level < role.reporter
  const flag = 'allow_guest_plus_roles_to_pull_packages'
  const isOn = projects.some(asks) && (await isFeatureOn(platform, flag, { groupId: namespaceId }))
  return projects.map((project) => ({ ...project, guestsRead: isOn && asks(project) }))
}

/**
 * Those of some projects whose packages a caller may read over the routes of a group or of the server, in a constant number of
 * queries. That a project is open to all counts on its own routes only, but for some formats (contract 23 R1).
 * @param place the namespace above the projects, and their ids; whether projects that are open to all are among them
 */
export async function readableProjects(
  platform: Platform,
  caller: PackageCaller,
  { namespaceId, ids, includesOpen = false }: { namespaceId: number; ids: readonly number[]; includesOpen?: boolean },
): Promise<PackageProject[]> {
  if (ids.length === 0) return []
  const { read } = platform.database
  const actor = actorOf(caller)
  const known = await callerOf(read, actor, dayOf(platform.clock.now()))
  const projects = await projectsWithRoles(read, known, ids)
  const found = projects.filter((project) => !project.pending_delete && hasPackages(project))
  const isOpened = await openedBy(platform, caller, found)
  const asked = await withGuestsOf(platform, found, namespaceId)
  const isOpen = includesOpen ? await openToAll(platform) : () => false
  const isReadable = (project: PackageProject) => canSee(actor, project) && mayReadPackages(actor, project)
  return asked.filter((project) => isOpened(project) || isOpen(project) || isReadable(project))
}
