import { type Actor, dayOf, forbidden, notFound, type RequestInfo } from '../../../api/index.ts'
import type { Platform, Subject } from '../../../platform/index.ts'
import type { ProjectAbility } from '../../access/index.ts'
import { group } from '../../groups/index.ts'
import {
  canSee,
  outsider,
  type ProjectRow,
  project,
  projectMoved,
  projectNamed,
  withRole,
} from '../../projects/index.ts'
import { actorOf, identifyPackageCaller, jobProjectOf, type PackageCaller, requirePackageScope } from './callers.ts'
import { authenticationRequired } from './problems.ts'
import {
  hasPackages,
  mayChangePackages,
  mayReadPackages,
  opensProject,
  openToAll,
  type PackageAbility,
  type PackageProject,
  withGuests,
} from './rights.ts'

/** @throws ApiError 404 when the server has no packages (contract 23, EOFF) */
export function requirePackages({ config }: Platform): void {
  if (!config.packagesEnabled) throw notFound()
}

/** The project of the routes for people and scripts. */
export const packageProject: Subject<PackageProject, ProjectAbility> = {
  ...project,
  async find(platform, request, actor) {
    requirePackages(platform)
    return withGuests(platform, await project.find(platform, request, actor))
  },
  authorize(actor, found, ability) {
    if (ability === 'read_packages' && mayReadPackages(actor, found)) return
    return project.authorize(actor, found, ability)
  },
}

/** The group of the routes for people and scripts. */
export const packageGroup: typeof group = {
  ...group,
  async find(platform, request, actor) {
    requirePackages(platform)
    return group.find(platform, request, actor)
  },
}

/** A project as the client of a package format reaches it. */
export type ServedProject = {
  project: PackageProject
  caller: PackageCaller
  /** Whether the caller may read the packages by their credential or by the settings of the project. */
  mayRead: boolean
  /** Whether the deploy token of the caller is one of the project. */
  isOpened: boolean
}

/** @throws ApiError 401 for anonymous callers, 403 for jobs of other projects, else 404: there is no such project for the caller */
function hidden(caller: PackageCaller): never {
  if (caller.kind === 'anonymous') throw authenticationRequired()
  throw jobProjectOf(caller) === undefined ? notFound('Project') : forbidden()
}

/** A project as a caller reaches it; null when it does not exist for the caller. */
export async function serveProject(
  platform: Platform,
  row: ProjectRow,
  caller: PackageCaller,
): Promise<ServedProject | null> {
  const actor = actorOf(caller)
  const today = dayOf(platform.clock.now())
  const found =
    actor.kind === 'user' ? await withRole(platform.database.read, row, actor, today) : { ...row, role: outsider }
  const project = await withGuests(platform, found)
  const isOpened = caller.kind === 'deploy_token' && (await opensProject(platform, caller, row))
  const isOpen = (await openToAll(platform))(row)
  const isSeen = canSee(actor, project)
  if (!isSeen && !isOpened && !isOpen) return null
  const mayRead = hasPackages(row) && (isOpened || isOpen || mayReadPackages(actor, project))
  return { project, caller, mayRead, isOpened }
}

async function findServed(platform: Platform, request: RequestInfo, tokenHeaders: boolean): Promise<ServedProject> {
  requirePackages(platform)
  const caller = await identifyPackageCaller(platform, request, { tokenHeaders })
  const { row, moved } = await projectNamed(platform.database.read, request.path.id ?? '')
  if (!row || row.pending_delete) return hidden(caller)
  const served = (await serveProject(platform, row, caller)) ?? hidden(caller)
  if (moved) throw projectMoved(platform.externalUrl, request, row.id)
  return served
}

/** Requires an ability in a project. @throws ApiError 401 for anonymous callers, else 403 */
export function requireServed(
  { project, caller, mayRead, isOpened }: ServedProject,
  ability: 'read_packages' | PackageAbility,
) {
  const isRead = ability === 'read_packages'
  requirePackageScope(caller, isRead ? 'read' : 'write')
  if (isRead ? mayRead : mayChangePackages(caller, project, ability, isOpened)) return
  throw caller.kind === 'anonymous' ? authenticationRequired() : forbidden()
}

/**
 * The project of the routes for clients of package formats: it finds the caller by the credentials that these send (contract 23 R2),
 * and answers 401 to anonymous callers who may not read, since clients send their password only then.
 * @param options.tokenHeaders whether the format takes tokens in headers of their own
 */
export function servedProject({
  tokenHeaders,
}: {
  tokenHeaders: boolean
}): Subject<ServedProject, 'read_packages' | PackageAbility> {
  return {
    name: 'project',
    identifiesCaller: true,
    opensToAnonymous: () => true,
    administratorsOnly: () => false,
    find: (platform, request) => findServed(platform, request, tokenHeaders),
    authorize: (_actor: Actor, served, ability) => requireServed(served, ability),
  }
}
