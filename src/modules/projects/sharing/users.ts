import { type Actor, isAdministrator, type Page, type PageRequest, type Static } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openVisibilities } from '../../namespaces/index.ts'
import { presentingUsers, presentUserBasic, type UserBasic } from '../../users/index.ts'
import { type Project, today } from '../core/access.ts'
import type { UserFilter } from './params.ts'
import { pageOfUsersWithAccess } from './store/access.ts'

/** Callers without a role in the project. They see neither private groups nor the users who have access through them. */
export const isOutsider = (project: Project, actor: Actor) => !isAdministrator(actor) && project.role.level === 0

/** Users with access to a project, by id (contract 21, x.projects_users). */
export async function listUsersOfProject(
  platform: Platform,
  project: Project,
  filter: UserFilter,
  actor: Actor,
  page: PageRequest,
): Promise<Page<Static<typeof UserBasic>>> {
  const wanted = {
    search: filter.search,
    skipped: filter.skip_users ?? [],
    invitedVisibilities: isOutsider(project, actor) ? openVisibilities(actor) : undefined,
    today: today(platform),
  }
  const found = await pageOfUsersWithAccess(platform.database.read, project, wanted, page)
  const presenting = await presentingUsers(platform)
  return { ...found, items: found.items.map((row) => presentUserBasic(row, presenting)) }
}
