import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { isFeatureOn } from '../../features/index.ts'
import { ancestorsOf } from '../../namespaces/index.ts'
import { may, type Project, type ProjectRow, refusesWrites, settingOf } from '../../projects/index.ts'
import { actorOf, type PackageCaller } from './callers.ts'

/** A project with what decides who may read its packages. */
export type PackageProject = Project & {
  /** Whether guests and planners of a private project read its packages (the feature flag of contract 23 R1). */
  guestsRead: boolean
}

/** Adds to a project what decides who may read its packages. */
export async function withGuests(platform: Platform, project: Project): Promise<PackageProject> {
  const { level } = project.role
  const asks = project.visibility === 'private' && level >= role.guest && level < role.reporter
  const flag = 'allow_guest_plus_roles_to_pull_packages'
  return { ...project, guestsRead: asks && (await isFeatureOn(platform, flag, { projectId: project.id })) }
}

const levelOf = (project: ProjectRow) => settingOf(project, 'package_registry_access_level')

/** Whether the project has packages at all. */
export const hasPackages = (project: ProjectRow): boolean => levelOf(project) !== 'disabled'

/** Whether an actor may read the packages of a project that they can see (contract 23 R1). */
export function mayReadPackages(actor: Actor, project: PackageProject): boolean {
  if (may(actor, project, 'read_packages')) return true
  return project.guestsRead && hasPackages(project) && levelOf(project) !== 'private'
}

/** Tells whether everyone may read the packages of a project over the routes of package clients (`public`, contract 23 R1). */
export async function openToAll({ settings }: Platform): Promise<(project: ProjectRow) => boolean> {
  const { package_registry_allow_anyone_to_pull_option: isAllowed } = await settings.current()
  return (project) => isAllowed && levelOf(project) === 'public'
}

/** Whether a deploy token is one of the project, or of a group above it. */
export async function opensProject(
  { database }: Platform,
  { projectId, namespaceId }: Extract<PackageCaller, { kind: 'deploy_token' }>,
  project: ProjectRow,
): Promise<boolean> {
  if (projectId !== null) return projectId === project.id
  const above = await ancestorsOf(database.read, project.namespace_id)
  return above.some(({ id }) => id === namespaceId)
}

/** What callers do to packages besides reading. */
export type PackageAbility = 'publish_packages' | 'delete_packages'

/** Whether a caller has an ability; a deploy token that opens the project publishes as a developer does, and more (contract 23 R2). */
export function mayChangePackages(
  caller: PackageCaller,
  project: PackageProject,
  ability: PackageAbility,
  isOpened: boolean,
): boolean {
  if (caller.kind === 'deploy_token') return isOpened && hasPackages(project) && !refusesWrites(project)
  return may(actorOf(caller), project, ability)
}

/** The level with which protection rules are compared: administrators have 60, deploy tokens none (contract 23 R4). */
export function protectionLevelOf(actor: Actor, project: Project): number {
  return isAdministrator(actor) ? role.administrator : project.role.level
}
