import { type Actor, isAdministrator, type Page, type PageRequest } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import {
  type NamespaceQuery,
  type NamespaceRow,
  type PresentedPublicGroup,
  presentPublicGroup,
} from '../../namespaces/index.ts'
import { type CallerRoles, callerRoles, openVisibilities, type Project, today } from '../core/access.ts'
import type { GroupFilter, InvitedFilter } from './params.ts'
import { pageOfGroupsWithAccess } from './store/access.ts'
import {
  groupsAcceptingProjects,
  groupsInvitedTo,
  groupsNotSharedWith,
  openOrReached,
  pageByName,
  reached,
} from './store/groups.ts'
import { isOutsider } from './users.ts'

type PublicGroups = Page<PresentedPublicGroup>

function idsFrom(roles: ReadonlyMap<number, number>, minimum: number): number[] {
  return [...roles].filter(([, level]) => level >= minimum).map(([id]) => id)
}

function presentPage({ externalUrl }: Platform, found: Page<NamespaceRow>): PublicGroups {
  return { ...found, items: found.items.map((row) => presentPublicGroup(row, externalUrl)) }
}

async function paged(platform: Platform, chosen: NamespaceQuery, page: PageRequest): Promise<PublicGroups> {
  return presentPage(platform, await pageByName(platform.database.read, chosen, page))
}

/** Of these groups those that the caller can see. */
function visible(db: Reader, chosen: NamespaceQuery, actor: Actor, { namespaces }: CallerRoles): NamespaceQuery {
  if (isAdministrator(actor)) return chosen
  return openOrReached(db, chosen, openVisibilities(actor), idsFrom(namespaces, 1))
}

const rolesOf = (platform: Platform, actor: Actor) => callerRoles(platform.database.read, actor, today(platform))

/** Groups that a project may be moved to (contract 21, x.projects_transfer_locations). */
export async function listTransferLocations(
  platform: Platform,
  project: Project,
  search: string | undefined,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const { namespaces } = await rolesOf(platform, actor)
  const creators = isAdministrator(actor)
    ? null
    : {
        developer: idsFrom(namespaces, role.developer),
        maintainer: idsFrom(namespaces, role.maintainer),
        owner: idsFrom(namespaces, role.owner),
      }
  const wanted = { search, exceptId: project.namespace_id, creators }
  return paged(platform, groupsAcceptingProjects(platform.database.read, wanted), page)
}

/** Groups that a project may be shared with (contract 21, x.projects_share_locations). */
export async function listShareLocations(
  platform: Platform,
  project: Project,
  search: string | undefined,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const db = platform.database.read
  const chosen = groupsNotSharedWith(db, project, { search, today: today(platform) })
  return paged(platform, visible(db, chosen, actor, await rolesOf(platform, actor)), page)
}

/**
 * Groups that were invited to a project, or to a group above it, and that the caller can see (contract 21,
 * x.projects_invited_groups).
 */
export async function listInvitedGroups(
  platform: Platform,
  project: Project,
  filter: InvitedFilter,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const db = platform.database.read
  const { relation = [], search, min_access_level: minimum } = filter
  const isWanted = (one: 'direct' | 'inherited') => relation.length === 0 || relation.includes(one)
  const roles = await rolesOf(platform, actor)
  const wanted = { search, direct: isWanted('direct'), inherited: isWanted('inherited'), today: today(platform) }
  const chosen = visible(db, groupsInvitedTo(db, project, wanted), actor, roles)
  const isBounded = minimum !== undefined && !isAdministrator(actor)
  return paged(platform, isBounded ? reached(db, chosen, idsFrom(roles.namespaces, minimum)) : chosen, page)
}

/** Groups above a project, and those that it is shared with, by id (contract 21, x.projects_groups). */
export async function listGroupsOfProject(
  platform: Platform,
  project: Project,
  filter: GroupFilter,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const showsAll = isAdministrator(actor) || !(filter.shared_visible_only || isOutsider(project, actor))
  const wanted = {
    search: filter.search,
    skipped: filter.skip_groups ?? [],
    withShared: filter.with_shared === true,
    minimumShared: filter.shared_min_access_level ?? 0,
    visible: showsAll
      ? null
      : {
          visibilities: openVisibilities(actor),
          atOrBelow: [...(await rolesOf(platform, actor)).namespaces.keys()],
        },
    today: today(platform),
  }
  return presentPage(platform, await pageOfGroupsWithAccess(platform.database.read, project, wanted, page))
}
