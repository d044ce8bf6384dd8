import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../../api/index.ts'
import { type Reader, within } from '../../../../infra/database/index.ts'
import { effectiveMemberships } from '../../../access/index.ts'
import { possibleIds } from '../../../namespaces/index.ts'
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
