import { dayOf, invalid } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role, roleInProject } from '../../access/index.ts'
import type { Project } from '../../projects/index.ts'
import { type UserRow, userById, userByUsername } from '../../users/index.ts'
import type { AlertChanges } from './params.ts'

/** The parameter that names the assignee, with the first user that it names. */
async function named({ database }: Platform, { assignee_usernames: names, assignee_ids: ids }: AlertChanges) {
  const db = database.read
  if (names) {
    const [name = ''] = names
    return { parameter: 'assignee_usernames', isNone: name === '', user: await userByUsername(db, name) }
  }
  if (!ids) return null
  const [id] = ids
  const user = id === undefined ? null : await userById(db, id)
  return { parameter: 'assignee_ids', isNone: id === undefined, user }
}

/** The wanted assignee: null for none, undefined to leave it as it is. @throws ApiError 400 for a user who is no developer */
export async function wantedAssignee(
  platform: Platform,
  project: Project,
  changes: AlertChanges,
): Promise<UserRow | null | undefined> {
  const found = await named(platform, changes)
  if (!found) return undefined
  const { parameter, isNone, user } = found
  if (isNone) return null
  const today = dayOf(platform.clock.now())
  const level = user ? (await roleInProject(platform.database.read, user.id, project, today)).level : 0
  if (!user || (level < role.developer && !user.is_admin)) throw invalid({ [parameter]: ['is invalid'] })
  return user
}
