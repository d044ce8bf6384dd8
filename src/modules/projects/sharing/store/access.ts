import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../../api/index.ts'
import { contains, type Reader, within } from '../../../../infra/database/index.ts'
import { effectiveMemberships } from '../../../access/index.ts'
import { type NamespaceQuery, type NamespaceRow, pageOfNamespaces, possibleIds } from '../../../namespaces/index.ts'
import type { UserRow } from '../../../users/index.ts'
import type { ProjectRow } from '../../tables.ts'

type PlacedProject = Pick<ProjectRow, 'id' | 'namespace_id'>

type WantedUsers = {
  /** Part of the name or the user name. */
  search?: string
  skipped: readonly number[]
  /** Of invited groups only those of these visibilities; all of them by default. */
  invitedVisibilities?: readonly string[]
  today: string
}

function usersWithAccess(db: Reader, project: PlacedProject, wanted: WantedUsers) {
  const { search, skipped, invitedVisibilities, today } = wanted
  const resource = { kind: 'project' as const, id: project.id, namespaceId: project.namespace_id }
  const members = effectiveMemberships(db, resource, { today, invitedVisibilities })
  let query = db
    .selectFrom('users')
    .where('users.removed_at', 'is', null)
    .where(sql<boolean>`users.id in (select user_id from (${members}) members)`)
  if (search) query = query.where((eb) => eb.or([contains('users.name', search), contains('users.username', search)]))
  const ids = possibleIds(skipped)
  return ids.length > 0 ? query.where((eb) => eb.not(within(db, 'users.id', ids))) : query
}

/** A page of the users who have a role in a project, by id. */
export async function pageOfUsersWithAccess(
  db: Reader,
  project: PlacedProject,
  wanted: WantedUsers,
  page: PageRequest,
): Promise<Page<UserRow>> {
  return pageOfRows(db, usersWithAccess(db, project, wanted).selectAll('users').orderBy('users.id'), page)
}

/** Groups of these visibilities, and these groups with everything below them. */
type VisibleGroups = { visibilities: readonly string[]; atOrBelow: readonly number[] }

type WantedGroups = {
  /** Part of the name or the path. */
  search?: string
  skipped: readonly number[]
  /** Also the groups that the project is shared with, at this level or above. */
  withShared: boolean
  minimumShared: number
  /** Of those only these; all of them when null. */
  visible: VisibleGroups | null
  today: string
}

function isVisible(db: Reader, groups: VisibleGroups | null): RawBuilder<boolean> {
  if (groups === null) return sql<boolean>`1 = 1`
  const open = within(db, 'namespaces.visibility', groups.visibilities)
  return sql<boolean>`(${open} or namespaces.id in (select reach.namespace_id from namespace_ancestors reach
      where ${within(db, 'reach.ancestor_id', groups.atOrBelow)}))`
}

function groupsWithAccess(db: Reader, project: PlacedProject, wanted: WantedGroups): NamespaceQuery {
  const { search, skipped, withShared, minimumShared, visible, today } = wanted
  const above = sql<boolean>`namespaces.id in (
      select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id})`
  const shared = sql<boolean>`namespaces.id in (
      select group_id from group_links where project_id = ${project.id} and access_level >= ${minimumShared}
      and (expires_at is null or expires_at > ${today}))`
  const chosen = withShared ? sql<boolean>`(${above} or (${shared} and ${isVisible(db, visible)}))` : above
  let query: NamespaceQuery = db
    .selectFrom('namespaces')
    .where('kind', '=', 'group')
    .where('pending_delete', '=', false)
    .where(chosen)
  if (search)
    query = query.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
  const ids = possibleIds(skipped)
  return ids.length > 0 ? query.where((eb) => eb.not(within(db, 'namespaces.id', ids))) : query
}

/** A page of the groups above a project and, if wanted, of those that it is shared with, by id. */
export async function pageOfGroupsWithAccess(
  db: Reader,
  project: PlacedProject,
  wanted: WantedGroups,
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  const chosen = groupsWithAccess(db, project, wanted)
  return pageOfNamespaces(db, chosen, (query) => query.orderBy('namespaces.id'), page)
}
