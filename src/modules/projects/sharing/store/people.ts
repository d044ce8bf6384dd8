import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../../api/index.ts'
import { contains, type Reader, within } from '../../../../infra/database/index.ts'
import { effectiveMemberships } from '../../../access/index.ts'
import { type NamespaceQuery, type NamespaceRow, pageOfNamespaces, possibleIds } from '../../../namespaces/index.ts'
import type { UserRow } from '../../../users/index.ts'
import type { ProjectRow } from '../../tables.ts'

type PlacedProject = Pick<ProjectRow, 'id' | 'namespace_id'>

export type WantedUsers = {
  /** Part of the name or the user name. */
  search?: string
  skipped: readonly number[]
  /** Of invited groups only those of these visibilities; all of them unless told. */
  invitedVisibilities?: readonly string[]
  today: string
}

function usersWithAccess(db: Reader, project: PlacedProject, wanted: WantedUsers) {
  const { search, skipped, invitedVisibilities, today } = wanted
  const place = { kind: 'project' as const, id: project.id, namespaceId: project.namespace_id }
  const members = effectiveMemberships(db, place, { today, invitedVisibilities })
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

/** Groups of these visibilities, and these with everything below them. */
export type SeenGroups = { visibilities: readonly string[]; atOrBelow: readonly number[] }

export type WantedGroups = {
  /** Part of the name or the path. */
  search?: string
  skipped: readonly number[]
  /** Whether those that the project is shared with belong to it, at this level or above. */
  withShared: boolean
  leastShared: number
  /** Of those that it is shared with only these; all of them when null. */
  seen: SeenGroups | null
  today: string
}

function isSeen(db: Reader, seen: SeenGroups | null): RawBuilder<boolean> {
  if (seen === null) return sql<boolean>`1 = 1`
  const open = within(db, 'namespaces.visibility', seen.visibilities)
  return sql<boolean>`(${open} or namespaces.id in (select reach.namespace_id from namespace_ancestors reach
      where ${within(db, 'reach.ancestor_id', seen.atOrBelow)}))`
}

function groupsAround(db: Reader, project: PlacedProject, wanted: WantedGroups): NamespaceQuery {
  const { search, skipped, withShared, leastShared, seen, today } = wanted
  const above = sql<boolean>`namespaces.id in (
      select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id})`
  const shared = sql<boolean>`namespaces.id in (
      select group_id from group_links where project_id = ${project.id} and access_level >= ${leastShared}
      and (expires_at is null or expires_at > ${today}))`
  const around = withShared ? sql<boolean>`(${above} or (${shared} and ${isSeen(db, seen)}))` : above
  let query: NamespaceQuery = db
    .selectFrom('namespaces')
    .where('kind', '=', 'group')
    .where('pending_delete', '=', false)
    .where(around)
  if (search)
    query = query.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
  const ids = possibleIds(skipped)
  return ids.length > 0 ? query.where((eb) => eb.not(within(db, 'namespaces.id', ids))) : query
}

/** A page of the groups above a project and, if they are asked for, of those that it is shared with, by id. */
export async function pageOfGroupsAround(
  db: Reader,
  project: PlacedProject,
  wanted: WantedGroups,
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  const chosen = groupsAround(db, project, wanted)
  return pageOfNamespaces(db, chosen, (query) => query.orderBy('namespaces.id'), page)
}
