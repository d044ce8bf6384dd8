import { type Actor, dayOf, isAdministrator, type Page, type PageRequest } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import { type NamespaceQuery, type PresentedPublicGroup, presentPublicGroup } from '../../namespaces/index.ts'
import { openVisibilities, type Project } from '../core/access.ts'
import { type CallerRoles, callerRoles } from '../present/facts.ts'
import {
  groupsInvitedTo,
  groupsNotAround,
  groupsTakingProjects,
  openOrReached,
  pageByName,
  reached,
  type Takers,
} from './store/groups.ts'

export type GroupPlacesNeeds = { database: Database; clock: Clock; externalUrl: string }

export type InvitedFilter = {
  relation?: readonly ('direct' | 'inherited')[]
  search?: string
  min_access_level?: number
}

/** The groups that have to do with where a project is, or could be, and with whom it is shared. */
export type GroupPlaces = ReturnType<typeof createGroupPlaces>

function idsFrom(roles: ReadonlyMap<number, number>, least: number): number[] {
  return [...roles].filter(([, level]) => level >= least).map(([id]) => id)
}

/** The groups in which the caller has the role that each `project_creation_level` asks for. */
function takersOf({ namespaces }: CallerRoles): Takers {
  return {
    developer: idsFrom(namespaces, role.developer),
    maintainer: idsFrom(namespaces, role.maintainer),
    owner: idsFrom(namespaces, role.owner),
  }
}

export function createGroupPlaces({ database, clock, externalUrl }: GroupPlacesNeeds) {
  const db = database.read

  async function paged(chosen: NamespaceQuery, page: PageRequest): Promise<Page<PresentedPublicGroup>> {
    const found = await pageByName(db, chosen, page)
    return { ...found, items: found.items.map((row) => presentPublicGroup(row, externalUrl)) }
  }

  function visible(chosen: NamespaceQuery, actor: Actor, { namespaces }: CallerRoles): NamespaceQuery {
    if (isAdministrator(actor)) return chosen
    return openOrReached(db, chosen, openVisibilities(actor), idsFrom(namespaces, 1))
  }

  const today = () => dayOf(clock.now())
  const rolesOf = (actor: Actor) => callerRoles(db, actor, today())

  return {
    /** Groups that a project may be moved to (x.projects_transfer_locations). */
    async transferLocations(project: Project, search: string | undefined, actor: Actor, page: PageRequest) {
      const roles = await rolesOf(actor)
      const takers = isAdministrator(actor) ? 'everybody' : takersOf(roles)
      const chosen = groupsTakingProjects(db, { search, exceptId: project.namespace_id, takers })
      return paged(chosen, page)
    },

    /** Groups that a project may be shared with (x.projects_share_locations). */
    async shareLocations(project: Project, search: string | undefined, actor: Actor, page: PageRequest) {
      const chosen = groupsNotAround(db, project, { search, today: today() })
      return paged(visible(chosen, actor, await rolesOf(actor)), page)
    },

    /**
     * Groups that were invited to a project, or to a group above it, as far as the caller sees them
     * (x.projects_invited_groups).
     */
    async invitedGroups(project: Project, filter: InvitedFilter, actor: Actor, page: PageRequest) {
      const { relation = [], search, min_access_level: least } = filter
      const isWanted = (one: 'direct' | 'inherited') => relation.length === 0 || relation.includes(one)
      const roles = await rolesOf(actor)
      const wanted = { search, direct: isWanted('direct'), inherited: isWanted('inherited'), today: today() }
      const chosen = visible(groupsInvitedTo(db, project, wanted), actor, roles)
      const isBounded = least !== undefined && !isAdministrator(actor)
      return paged(isBounded ? reached(db, chosen, idsFrom(roles.namespaces, least)) : chosen, page)
    },
  }
}
