import { type Actor, isAdministrator, type Page, type PageRequest } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { groupsMatching, isVisibleTo, pageOfPublicGroups, viewerOf } from '../../groups/index.ts'
import { isReached, type NamespaceChoice, type PresentedPublicGroup } from '../../namespaces/index.ts'
import { type Project, today } from '../core/access.ts'
import type { GroupFilter, InvitedFilter } from './params.ts'
import { groupsWithAccess } from './store/access.ts'
import { groupsAcceptingProjects, groupsInvitedTo, groupsNotSharedWith } from './store/groups.ts'
import { isOutsider } from './users.ts'

type PublicGroups = Page<PresentedPublicGroup>

/** Groups that a project may be moved to (contract 21, x.projects_transfer_locations). */
export async function listTransferLocations(
  platform: Platform,
  project: Project,
  search: string | undefined,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const roles = isAdministrator(actor) ? null : (await viewerOf(platform, actor)).roles
  const db = platform.database.read
  const wanted = { ...(await groupsMatching(db, search)), exceptId: project.namespace_id, roles }
  return pageOfPublicGroups(platform, groupsAcceptingProjects(db, wanted), {}, page)
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
  const { groups } = await groupsMatching(db, search)
  const chosen = groupsNotSharedWith(groups, project, today(platform))
  const viewer = await viewerOf(platform, actor)
  return pageOfPublicGroups(platform, (use) => chosen.where(isVisibleTo(db, viewer, use)), {}, page)
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
  const viewer = await viewerOf(platform, actor)
  const wanted = { search, direct: isWanted('direct'), inherited: isWanted('inherited'), today: today(platform) }
  const invited = groupsInvitedTo(db, project, wanted)
  const isBounded = minimum !== undefined && !isAdministrator(actor)
  const visible = invited.where(isVisibleTo(db, viewer, 'tests'))
  const chosen = isBounded ? visible.where(isReached(db, viewer.roles, minimum, 'tests')) : visible
  return pageOfPublicGroups(platform, () => chosen, {}, page)
}

/** Groups above a project, and those that it is shared with, by id (contract 21, x.projects_groups). */
export async function listGroupsOfProject(
  platform: Platform,
  project: Project,
  filter: GroupFilter,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const db = platform.database.read
  const showsAll = !(filter.shared_visible_only || isOutsider(project, actor))
  const wanted = {
    search: filter.search,
    skipped: filter.skip_groups ?? [],
    withShared: filter.with_shared === true,
    minimumShared: filter.shared_min_access_level ?? 0,
    today: today(platform),
  }
  const viewer = showsAll ? null : await viewerOf(platform, actor)
  const chosen: NamespaceChoice = () =>
    groupsWithAccess(db, project, wanted, viewer && isVisibleTo(db, viewer, 'tests'))
  return pageOfPublicGroups(platform, chosen, { order_by: 'id' }, page)
}
