import { anonymous, isAdministrator } from '../../../api/index.ts'
import { role } from '../../access/index.ts'
import { may, type Project, refusesWrites, settingOf } from '../../projects/index.ts'
import type { RegistryCaller } from './callers.ts'
import type { RepositoryAction } from './scopes.ts'

/** What the rights in several projects depend on, loaded for all of them at once. */
export type RightsFacts = {
  lineages: ReadonlyMap<number, readonly number[]>
  /** The projects that admit the job of the caller. */
  admitted: ReadonlySet<number>
}

const none: ReadonlySet<RepositoryAction> = new Set()
const reading: ReadonlySet<RepositoryAction> = new Set(['pull'] as const)

/** What a credential without a role of its own may do with the images of a project that it opens. */
function opened(project: Project, writes: readonly RepositoryAction[]): ReadonlySet<RepositoryAction> {
  return refusesWrites(project) ? reading : new Set<RepositoryAction>(['pull', ...writes])
}

const readByAnyone = (project: Project) =>
  may(anonymous, { ...project, role: { ...project.role, level: 0 } }, 'read_container_images')

/** A job writes to its own project, and reads from those that admit it and that its user may read from. */
function rightsOfJob({ actor, job }: RegistryCaller, project: Project, { admitted }: RightsFacts) {
  if (project.id === job?.projectId) return opened(project, ['push', 'delete'])
  if (readByAnyone(project)) return reading
  const isGuest = project.role.level >= role.guest
  const isEnabled = settingOf(project, 'container_registry_access_level') === 'enabled'
  const mayRead = may(actor, project, 'read_container_images') || (isGuest && isEnabled)
  return mayRead && admitted.has(project.id) ? reading : none
}

function rightsOfDeployToken({ deployToken }: RegistryCaller, project: Project, { lineages }: RightsFacts) {
  const groups = lineages.get(project.namespace_id) ?? []
  const isOpened =
    deployToken?.projectId === project.id ||
    (deployToken?.namespaceId != null && groups.includes(deployToken.namespaceId))
  if (isOpened) return opened(project, ['push'])
  return readByAnyone(project) ? reading : none
}

function rightsOfActor({ actor }: RegistryCaller, project: Project): ReadonlySet<RepositoryAction> {
  const rights = new Set<RepositoryAction>()
  if (may(actor, project, 'read_container_images')) rights.add('pull')
  if (may(actor, project, 'push_container_images')) rights.add('push')
  if (may(actor, project, 'delete_container_images')) rights.add('delete').add('*')
  return rights
}

/** What the caller may do in a project by the table of contract 02 R2, whatever the credential carries. */
export function rightsOf(caller: RegistryCaller, project: Project, facts: RightsFacts): ReadonlySet<RepositoryAction> {
  if (caller.job) return rightsOfJob(caller, project, facts)
  if (caller.deployToken) return rightsOfDeployToken(caller, project, facts)
  return rightsOfActor(caller, project)
}

/** The level that counts for protection rules; a deploy token counts as a Developer. */
export function levelOf({ actor, deployToken }: RegistryCaller, project: Project): number {
  if (deployToken) return role.developer
  return isAdministrator(actor) ? role.administrator : project.role.level
}
