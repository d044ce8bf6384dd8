import { sql } from 'kysely'
import { type Actor, dayOf, isAdministrator, type Page, type PageRequest } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { contains, type Database, type Reader, within } from '../../infra/database/index.ts'
import { role } from '../members/index.ts'
import {
  isAtOrBelow,
  type NamespaceQuery,
  type PresentedPublicGroup,
  pageOfNamespaces,
  presentPublicGroup,
} from '../namespaces/index.ts'
import type { Project } from './access.ts'
import { type CallerRoles, callerRoles } from './facts.ts'
import { openVisibilities } from './store/listing.ts'

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

/** Groups in which the caller may make projects: `mayCreateIn`, for a query. */
function takingProjects(db: Reader, actor: Actor, { namespaces }: CallerRoles) {
  const level = sql`coalesce(namespaces.settings ->> 'project_creation_level', 'developer')`
  if (isAdministrator(actor)) return sql<boolean>`${level} <> 'noone'`
  return sql<boolean>`(case ${level}
    when 'developer' then ${isAtOrBelow(db, idsFrom(namespaces, role.developer))}
    when 'maintainer' then ${isAtOrBelow(db, idsFrom(namespaces, role.maintainer))}
    when 'owner' then ${isAtOrBelow(db, idsFrom(namespaces, role.owner))}
    else (1 = 0) end)`
}

export function createGroupPlaces({ database, clock, externalUrl }: GroupPlacesNeeds) {
  const db = database.read

  function groups(search: string | undefined): NamespaceQuery {
    const all = db.selectFrom('namespaces').where('kind', '=', 'group').where('pending_delete', '=', false)
    if (!search) return all
    return all.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
  }

  async function paged(chosen: NamespaceQuery, page: PageRequest): Promise<Page<PresentedPublicGroup>> {
    const byName = (query: NamespaceQuery) => query.orderBy('namespaces.name').orderBy('namespaces.id')
    const found = await pageOfNamespaces(db, chosen, byName, page)
    return { ...found, items: found.items.map((row) => presentPublicGroup(row, externalUrl)) }
  }

  function visible(chosen: NamespaceQuery, actor: Actor, { namespaces }: CallerRoles): NamespaceQuery {
    if (isAdministrator(actor)) return chosen
    const reached = isAtOrBelow(db, idsFrom(namespaces, 1))
    const open = within(db, 'namespaces.visibility', openVisibilities(actor))
    return chosen.where(sql<boolean>`(${open} or ${reached})`)
  }

  const rolesOf = (actor: Actor) => callerRoles(db, actor, dayOf(clock.now()))

  return {
    /** Groups that a project may be moved to (x.projects_transfer_locations). */
    async transferLocations(project: Project, search: string | undefined, actor: Actor, page: PageRequest) {
      const chosen = groups(search)
        .where('marked_for_deletion_on', 'is', null)
        .where('id', '<>', project.namespace_id)
        .where(takingProjects(db, actor, await rolesOf(actor)))
      return paged(chosen, page)
    },

    /** Groups that a project may be shared with (x.projects_share_locations). */
    async shareLocations(project: Project, search: string | undefined, actor: Actor, page: PageRequest) {
      const above = sql<boolean>`namespaces.id in (
        select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id})`
      const invited = sql<boolean>`namespaces.id in (select group_id from group_links where project_id = ${project.id}
        and (expires_at is null or expires_at > ${dayOf(clock.now())}))`
      const chosen = groups(search).where(sql<boolean>`not ${above} and not ${invited}`)
      return paged(visible(chosen, actor, await rolesOf(actor)), page)
    },

    /**
     * Groups that were invited to a project, or to a group above it, as far as the caller sees them
     * (x.projects_invited_groups).
     */
    async invitedGroups(project: Project, filter: InvitedFilter, actor: Actor, page: PageRequest) {
      const { relation = [], search, min_access_level: least } = filter
      const isWanted = (one: 'direct' | 'inherited') => relation.length === 0 || relation.includes(one)
      const inherited = sql<boolean>`l.namespace_id in (
        select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id})`
      const places = [
        ...(isWanted('direct') ? [sql<boolean>`l.project_id = ${project.id}`] : []),
        ...(isWanted('inherited') ? [inherited] : []),
      ]
      const roles = await rolesOf(actor)
      const invited = sql<boolean>`namespaces.id in (select l.group_id from group_links l
        where (${sql.join(places, sql` or `)}) and (l.expires_at is null or l.expires_at > ${dayOf(clock.now())}))`
      const chosen = visible(groups(search).where(invited), actor, roles)
      const isBounded = least !== undefined && !isAdministrator(actor)
      return paged(isBounded ? chosen.where(isAtOrBelow(db, idsFrom(roles.namespaces, least))) : chosen, page)
    },
  }
}
