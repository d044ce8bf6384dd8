import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../../api/index.ts'
import { type Reader, within } from '../../../../infra/database/index.ts'
import { effectiveMemberships, live } from '../../../access/index.ts'
import { groupsAmong } from '../../../groups/index.ts'
import { matchesSearch, type NamespaceQuery, possibleIds } from '../../../namespaces/index.ts'
import { isNamed, type UserRow } from '../../../users/index.ts'
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
  if (search) query = query.where(isNamed(search))
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

type WantedGroups = {
  /** Part of the name or the path. */
  search?: string
  skipped: readonly number[]
  /** Also the groups that the project is shared with, at this level or above. */
  withShared: boolean
  minimumShared: number
  today: string
}

/**
 * The groups above a project and, if wanted, those that it is shared with.
 * @param isVisible of those only the ones that meet the condition; all of them when null
 */
export function groupsWithAccess(
  db: Reader,
  project: PlacedProject,
  wanted: WantedGroups,
  isVisible: RawBuilder<boolean> | null,
): NamespaceQuery {
  const { search, skipped, withShared, minimumShared, today } = wanted
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id}`
  const shared = sql`select group_id from group_links where project_id = ${project.id}
    and access_level >= ${minimumShared} and ${live('group_links', today)}`
  // One set: beside an `or` of two, PostgreSQL would test all groups.
  const among = groupsAmong(db, sql<boolean>`namespaces.id in (${withShared ? sql`${above} union ${shared}` : above})`)
  const isShown = sql<boolean>`(namespaces.id in (${above}) or ${isVisible})`
  const groups = withShared && isVisible ? among.where(isShown) : among
  const chosen = search ? groups.where(matchesSearch(search)) : groups
  const ids = possibleIds(skipped)
  return ids.length > 0 ? chosen.where((eb) => eb.not(within(db, 'namespaces.id', ids))) : chosen
}
