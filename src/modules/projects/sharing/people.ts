import { type Actor, dayOf, isAdministrator, type Page, type PageRequest, type Static } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import { presentPublicGroup } from '../../namespaces/index.ts'
import { type PresentingUsers, presentUserBasic, type UserBasic } from '../../users/index.ts'
import { openVisibilities, type Project } from '../core/access.ts'
import { callerRoles } from '../present/facts.ts'
import { pageOfGroupsAround, pageOfUsersWithAccess, type SeenGroups } from './store/people.ts'

export type UserFilter = { search?: string; skip_users?: readonly number[] }

export type GroupFilter = {
  search?: string
  skip_groups?: readonly number[]
  with_shared?: boolean
  shared_visible_only?: boolean
  shared_min_access_level?: number
}

export type ProjectPeopleNeeds = {
  database: Database
  clock: Clock
  externalUrl: string
  presentingUsers(): Promise<PresentingUsers>
}

/** Who has to do with a project: the users with access, the groups above it and those that were invited. */
export type ProjectPeople = ReturnType<typeof createProjectPeople>

export function createProjectPeople({ database, clock, externalUrl, presentingUsers }: ProjectPeopleNeeds) {
  const db = database.read
  const today = () => dayOf(clock.now())

  /** Whoever has no role in the project is not told of groups that they do not see, nor of who comes from them. */
  const isOutsider = (project: Project, actor: Actor) => !isAdministrator(actor) && project.role.level === 0

  /** The groups that the actor sees, when the list shows them no others; null when it shows all. */
  async function sightOf(project: Project, filter: GroupFilter, actor: Actor): Promise<SeenGroups | null> {
    if (isAdministrator(actor) || !(filter.shared_visible_only || isOutsider(project, actor))) return null
    const roles = await callerRoles(db, actor, today())
    return { visibilities: openVisibilities(actor), atOrBelow: [...roles.namespaces.keys()] }
  }

  return {
    /** Users with access, by id (contract 21, x.projects_users). */
    async users(
      project: Project,
      filter: UserFilter,
      page: PageRequest,
      actor: Actor,
    ): Promise<Page<Static<typeof UserBasic>>> {
      const wanted = {
        search: filter.search,
        skipped: filter.skip_users ?? [],
        invitedVisibilities: isOutsider(project, actor) ? openVisibilities(actor) : undefined,
        today: today(),
      }
      const found = await pageOfUsersWithAccess(db, project, wanted, page)
      const presenting = await presentingUsers()
      return { ...found, items: found.items.map((row) => presentUserBasic(row, presenting)) }
    },

    /** Groups above a project, and those that it is shared with, by id (contract 21, x.projects_groups). */
    async groups(project: Project, filter: GroupFilter, page: PageRequest, actor: Actor) {
      const wanted = {
        search: filter.search,
        skipped: filter.skip_groups ?? [],
        withShared: filter.with_shared === true,
        leastShared: filter.shared_min_access_level ?? 0,
        seen: await sightOf(project, filter, actor),
        today: today(),
      }
      const found = await pageOfGroupsAround(db, project, wanted, page)
      return { ...found, items: found.items.map((row) => presentPublicGroup(row, externalUrl)) }
    },
  }
}
