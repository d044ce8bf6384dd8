import { sql } from 'kysely'
import {
  type Actor,
  dayOf,
  isAdministrator,
  type Page,
  type PageRequest,
  pageOfRows,
  type Static,
} from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { contains, type Database, within } from '../../infra/database/index.ts'
import { effectiveMemberships } from '../members/index.ts'
import { type NamespaceQuery, pageOfNamespaces, possibleIds, presentPublicGroup } from '../namespaces/index.ts'
import { type PresentingUsers, presentUserBasic, type UserBasic } from '../users/index.ts'
import type { Project } from './access.ts'
import { callerRoles } from './facts.ts'
import { openVisibilities } from './store/listing.ts'

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

  function usersWithAccess(project: Project, { search, skip_users: skipped = [] }: UserFilter, actor: Actor) {
    const place = { kind: 'project' as const, id: project.id, namespaceId: project.namespace_id }
    const invitedVisibilities = isOutsider(project, actor) ? openVisibilities(actor) : undefined
    const members = effectiveMemberships(db, place, { today: today(), invitedVisibilities })
    let query = db
      .selectFrom('users')
      .where('users.removed_at', 'is', null)
      .where(sql<boolean>`users.id in (select user_id from (${members}) members)`)
    if (search) query = query.where((eb) => eb.or([contains('users.name', search), contains('users.username', search)]))
    const ids = possibleIds(skipped)
    return ids.length > 0 ? query.where((eb) => eb.not(within(db, 'users.id', ids))) : query
  }

  /** The groups above a project and, if they are asked for, those that it is shared with. */
  async function groupsAround(project: Project, filter: GroupFilter, actor: Actor): Promise<NamespaceQuery> {
    const above = sql<boolean>`namespaces.id in (
      select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id})`
    const least = filter.shared_min_access_level ?? 0
    const shared = sql<boolean>`namespaces.id in (
      select group_id from group_links where project_id = ${project.id} and access_level >= ${least}
      and (expires_at is null or expires_at > ${today()}))`
    const isBounded = !isAdministrator(actor) && (filter.shared_visible_only || isOutsider(project, actor))
    const seen = isBounded ? await visibleGroups(actor) : sql<boolean>`1 = 1`
    const around = filter.with_shared ? sql<boolean>`(${above} or (${shared} and ${seen}))` : above
    let query: NamespaceQuery = db
      .selectFrom('namespaces')
      .where('kind', '=', 'group')
      .where('pending_delete', '=', false)
      .where(around)
    const { search } = filter
    if (search)
      query = query.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
    const ids = possibleIds(filter.skip_groups ?? [])
    return ids.length > 0 ? query.where((eb) => eb.not(within(db, 'namespaces.id', ids))) : query
  }

  async function visibleGroups(actor: Actor) {
    const roles = await callerRoles(db, actor, today())
    const open = within(db, 'namespaces.visibility', openVisibilities(actor))
    return sql<boolean>`(${open} or namespaces.id in (select reach.namespace_id from namespace_ancestors reach
      where ${within(db, 'reach.ancestor_id', [...roles.namespaces.keys()])}))`
  }

  return {
    /** Users with access, by id (contract 21, x.projects_users). */
    async users(
      project: Project,
      filter: UserFilter,
      page: PageRequest,
      actor: Actor,
    ): Promise<Page<Static<typeof UserBasic>>> {
      const query = usersWithAccess(project, filter, actor).selectAll('users').orderBy('users.id')
      const found = await pageOfRows(db, query, page)
      const presenting = await presentingUsers()
      return { ...found, items: found.items.map((row) => presentUserBasic(row, presenting)) }
    },

    /** Groups above a project, and those that it is shared with, by id (contract 21, x.projects_groups). */
    async groups(project: Project, filter: GroupFilter, page: PageRequest, actor: Actor) {
      const chosen = await groupsAround(project, filter, actor)
      const found = await pageOfNamespaces(db, chosen, (query) => query.orderBy('namespaces.id'), page)
      return { ...found, items: found.items.map((row) => presentPublicGroup(row, externalUrl)) }
    },
  }
}
