import { type Actor, isAdministrator, type Page, type PageRequest } from '../../../api/index.ts'
import { predicatesOf } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { groupContext, groupFilters, pageOfPublicGroups, reachedBy, relationsOf, seenBy } from '../../groups/index.ts'
import type { PresentedPublicGroup } from '../../namespaces/index.ts'
import { type Project, today } from '../core/access.ts'
import type { GroupFilter, InvitedFilter } from './params.ts'
import { acceptingProjects, invitedTo, notSharedWith, withAccess } from './store/groups.ts'
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
  const context = await groupContext(platform, actor)
  const wanted = [
    ...predicatesOf(groupFilters, context, { search, skip_groups: [project.namespace_id] }),
    ...acceptingProjects(context),
  ]
  return pageOfPublicGroups(platform, context, wanted, {}, page)
}

/** Groups that a project may be shared with (contract 21, x.projects_share_locations). */
export async function listShareLocations(
  platform: Platform,
  project: Project,
  search: string | undefined,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const context = await groupContext(platform, actor)
  const wanted = [
    ...predicatesOf(groupFilters, context, { search }),
    ...notSharedWith(context, project, today(platform)),
    ...seenBy(context),
  ]
  return pageOfPublicGroups(platform, context, wanted, {}, page)
}

/**
 * Groups that were invited to a project, or to a group above it, and that the caller can see (contract 21,
 * x.projects_invited_groups).
 */
export async function listInvitedGroups(
  platform: Platform,
  project: Project,
  { relation, search, min_access_level: minimum }: InvitedFilter,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const context = await groupContext(platform, actor)
  const wanted = [
    invitedTo(context, project, relationsOf(relation), today(platform)),
    ...seenBy(context),
    ...(minimum === undefined || isAdministrator(actor) ? [] : [reachedBy(context, minimum)]),
    ...predicatesOf(groupFilters, context, { search }),
  ]
  return pageOfPublicGroups(platform, context, wanted, {}, page)
}

/** Groups above a project, and those that it is shared with, by id (contract 21, x.projects_groups). */
export async function listGroupsOfProject(
  platform: Platform,
  project: Project,
  filter: GroupFilter,
  actor: Actor,
  page: PageRequest,
): Promise<PublicGroups> {
  const context = await groupContext(platform, actor)
  const areSeen = filter.shared_visible_only === true || isOutsider(project, actor)
  const shared = { minimum: filter.shared_min_access_level ?? 0, areSeen, today: today(platform) }
  const { search, skip_groups } = filter
  const wanted = [
    ...withAccess(context, project, filter.with_shared ? shared : null),
    ...predicatesOf(groupFilters, context, { search, skip_groups }),
  ]
  return pageOfPublicGroups(platform, context, wanted, { order_by: 'id' }, page)
}
