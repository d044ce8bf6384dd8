import { type RawBuilder, sql } from 'kysely'
import {
  type Condition,
  isAnyOf,
  isDriven,
  isFound,
  isInSet,
  neverTrue,
  type PredicateUse,
  prepareQuery,
  type Reader,
  smaller,
  within,
} from '../../../infra/database/index.ts'
import type { Permissions } from '../permissions.ts'
import { role } from '../policy.ts'
import { type OwnPermissions, ownPermissions, type PlacedRole, unitedPermissions } from './permissions.ts'
import { highestById, live, sharedLevel, sharedRole } from './roles.ts'

/** A user whose roles are looked up, on a day. */
export type RoleHolder = { userId: number; today: string }

/** The levels of a user by the id of the namespace or project in which they have them; they also hold below it. */
type LoadedRoles = { namespaces: ReadonlyMap<number, number>; projects: ReadonlyMap<number, number> }

/**
 * The roles of a user as member, as owner or through invited groups: loaded when they are few, and else looked up by each query. The
 * permissions of member roles are always loaded; `undefined` where there are none.
 */
export type OwnRoles = ({ loaded: LoadedRoles } | { loaded: null; holder: RoleHolder }) & {
  permissions?: OwnPermissions | undefined
}

/** Of callers who are not signed in. */
export const noRoles: OwnRoles = { loaded: { namespaces: new Map(), projects: new Map() } }

/** More roles than this are not loaded. */
const few = 500

type RoleRow = PlacedRole & { level: number }

const rolesOfUser = prepareQuery((db, { userId, today }: RoleHolder) => ({
  compile: () =>
    sql<RoleRow>`select * from (
      select namespace_id, project_id, access_level as level, cast(null as bigint) as member_role_id from members
        where user_id = ${userId} and ${has('members', role.guest, today)}
      union all
      select namespace_id, project_id, access_level, member_role_id from members
        where user_id = ${userId} and member_role_id is not null and ${live('members', today)}
      union all
      select id, cast(null as bigint), ${sql.lit(role.owner)}, null from namespaces
        where kind = 'user' and owner_id = ${userId}
      union all
      select l.namespace_id, l.project_id, ${sharedLevel(db, 'l', 'm')}, ${sharedRole('l', 'm')}
        from members m
        join namespace_ancestors g on g.ancestor_id = m.namespace_id
        join group_links l on l.group_id = g.namespace_id
        where m.user_id = ${userId} and ${has('m', role.guest, today)} and ${has('l', role.guest, today)}
      ) roles limit ${sql.lit(few + 1)}`.compile(db as never),
}))

/** The member roles of a user with many roles. */
const memberRolesOfUser = prepareQuery((db, { userId, today }: RoleHolder) => ({
  compile: () =>
    sql<PlacedRole>`
      select namespace_id, project_id, member_role_id from members
        where user_id = ${userId} and member_role_id is not null and ${has('members', role.guest, today)}
      union all
      select l.namespace_id, l.project_id, ${sharedRole('l', 'm')} from group_links l
        cross join namespace_ancestors g cross join members m
        where l.member_role_id is not null and ${isThroughGroup({ userId, today }, role.guest)}`.compile(db as never),
}))

/** Whether a membership or an invitation counts and gives at least this level. */
function has(table: string, least: number, today: string): Condition {
  return sql<boolean>`(${live(table, today)} and ${sql.ref(`${table}.access_level`)} >= ${sql.lit(Math.max(least, role.guest))})`
}

/** The roles of a user, without those that are inherited, with one query; with a second one where there are member roles. */
export async function ownRoles(db: Reader, userId: number, today: string): Promise<OwnRoles> {
  const rows = await rolesOfUser(db, { userId, today })
  if (rows.length > few) {
    const holder = { userId, today }
    return { loaded: null, holder, permissions: await ownPermissions(db, await memberRolesOfUser(db, holder)) }
  }
  const entries = (column: 'namespace_id' | 'project_id') =>
    rows.flatMap((row): [number, number][] => (row[column] === null ? [] : [[row[column], row.level]]))
  const loaded = { namespaces: highestById(entries('namespace_id')), projects: highestById(entries('project_id')) }
  return { loaded, permissions: await ownPermissions(db, rows) }
}

/** The ids in these roles with at least this level. */
function idsFrom(roles: ReadonlyMap<number, number>, least: number): number[] {
  return [...roles].filter(([, level]) => level >= least).map(([id]) => id)
}

/** `column in (select …)`. Next to an `or`, PostgreSQL uses an index for it only when it computes the values first. */
export function isSelected(
  db: Reader,
  column: RawBuilder<unknown>,
  selection: RawBuilder<unknown>,
  use: PredicateUse = 'drives',
): Condition {
  return use === 'drives' ? isDriven(db, column, selection) : sql<boolean>`${column} in (${selection})`
}

/**
 * Whether a value is one of the ids. PostgreSQL tests rows by a hash table of the rows of a sub-query, and without estimating each
 * value, as it does for an array.
 */
export function isAmong(db: Reader, value: RawBuilder<unknown>, ids: readonly number[], use: PredicateUse): Condition {
  return use === 'drives' ? isAnyOf(db, value, ids) : isInSet(db, value, ids)
}

/** Whether a user has at least this role in a namespace, of its own or inherited. @param column the id of the namespace */
export function reachesNamespace(
  db: Reader,
  roles: OwnRoles,
  column: RawBuilder<unknown>,
  least: number,
  use: PredicateUse = 'drives',
): Condition {
  if (roles.loaded) {
    const ids = idsFrom(roles.loaded.namespaces, least)
    if (ids.length === 0) return neverTrue
    const above = isAmong(db, sql.ref('reach.ancestor_id'), ids, use)
    return isSelected(db, column, sql`select reach.namespace_id from namespace_ancestors reach where ${above}`, use)
  }
  if (use === 'tests') return hasRoleIn(db, roles.holder, column, least)
  const below = sql`select reach.namespace_id from (${namespacesOf(roles.holder, least)}) own
    cross join namespace_ancestors reach where reach.ancestor_id = own.id`
  return isSelected(db, column, below, use)
}

/** Whether a user has at least this role in a project itself, not inherited. @param column the id of the project */
export function reachesProject(
  db: Reader,
  roles: OwnRoles,
  column: RawBuilder<unknown>,
  least: number,
  use: PredicateUse = 'drives',
): Condition {
  if (roles.loaded) {
    const ids = idsFrom(roles.loaded.projects, least)
    return ids.length === 0 ? neverTrue : isAmong(db, column, ids, use)
  }
  if (use === 'tests') return hasRoleInProject(db, roles.holder, column, least)
  return isSelected(db, column, projectsOf(roles.holder, least), use)
}

/** Invitations `l` of groups in which the user is a member or inherits a role from above, with the membership `m`. */
const isThroughGroup = ({ userId, today }: RoleHolder, least: number) => sql<boolean>`
  g.namespace_id = l.group_id and m.namespace_id = g.ancestor_id and m.user_id = ${userId}
  and ${has('l', least, today)} and ${has('m', least, today)}`

// The cross joins fix the order in SQLite, which has no statistics: from what the user reaches, or from the invitations of one place.
const fromUser = sql`members m cross join namespace_ancestors g cross join group_links l`
const fromPlace = sql`group_links l cross join namespace_ancestors g cross join members m`

/** The namespaces in which a user has a role, each once, without those below them. */
function namespacesOf(holder: RoleHolder, least: number): RawBuilder<unknown> {
  return sql`select mine.namespace_id as id from members mine
      where mine.user_id = ${holder.userId} and mine.namespace_id is not null and ${has('mine', least, holder.today)}
    union select home.id from namespaces home where home.kind = 'user' and home.owner_id = ${holder.userId}
    union select l.namespace_id from ${fromUser} where ${isThroughGroup(holder, least)} and l.namespace_id is not null`
}

/** The projects in which a user has a role that is not inherited. */
function projectsOf(holder: RoleHolder, least: number): RawBuilder<unknown> {
  return sql`select mine.project_id from members mine
      where mine.user_id = ${holder.userId} and mine.project_id is not null and ${has('mine', least, holder.today)}
    union select l.project_id from ${fromUser} where ${isThroughGroup(holder, least)} and l.project_id is not null`
}

/**
 * Whether the user is a member of a namespace or inherits a role from above. Each membership is looked up: PostgreSQL would merge the
 * ancestors with all memberships of the user, for each row.
 */
function isMemberAbove(
  db: Reader,
  { userId, today }: RoleHolder,
  column: RawBuilder<unknown>,
  least: number,
): Condition {
  const isMember = isFound(
    db,
    sql`members m where m.namespace_id = g.ancestor_id and m.user_id = ${userId} and ${has('m', least, today)}`,
  )
  return isFound(db, sql`namespace_ancestors g where g.namespace_id = ${column} and ${isMember}`)
}

/** Whether a group in which the user has a role is invited with at least this level. @param place restricts the invitations `l` */
function isInvited(db: Reader, holder: RoleHolder, place: Condition, least: number): Condition {
  const isInGroup = isMemberAbove(db, holder, sql.ref('l.group_id'), least)
  return isFound(db, sql`group_links l where ${place} and ${has('l', least, holder.today)} and ${isInGroup}`)
}

function hasRoleIn(db: Reader, holder: RoleHolder, column: RawBuilder<unknown>, least: number): Condition {
  const home = sql`namespaces home where home.id = ${column} and home.kind = 'user' and home.owner_id = ${holder.userId}`
  const isInvitedThere = isInvited(db, holder, sql<boolean>`l.namespace_id = a.ancestor_id`, least)
  const invited = sql`namespace_ancestors a where a.namespace_id = ${column} and ${isInvitedThere}`
  return sql<boolean>`(${isMemberAbove(db, holder, column, least)} or ${isFound(db, home)} or ${isFound(db, invited)})`
}

function hasRoleInProject(db: Reader, holder: RoleHolder, column: RawBuilder<unknown>, least: number): Condition {
  const direct = sql`members mine where mine.project_id = ${column} and mine.user_id = ${holder.userId}
    and ${has('mine', least, holder.today)}`
  const invited = isInvited(db, holder, sql<boolean>`l.project_id = ${column}`, least)
  return sql<boolean>`(${isFound(db, direct)} or ${invited})`
}

type LevelRow = { id: number; level: number }

/**
 * The level of a membership of the user, looked up. The user is a range, because PostgreSQL would choose the index of all memberships of
 * the user, by what it expects of any user. @param place restricts the memberships `m`
 */
const levelAt = ({ userId, today }: RoleHolder, place: Condition) => sql<number>`coalesce((select max(m.access_level)
  from members m where ${place} and m.user_id between ${userId} and ${userId} and ${has('m', role.guest, today)}), 0)`

/** A namespace above, or itself: of one of those that were asked for, or with a level that the user has there. */
type PlaceRow = { id: number; above: number; level: number }

/**
 * The namespaces above each of these, and the levels in them, of which many have the same: looked up one by one, because PostgreSQL
 * would read all memberships of the user.
 */
const placesAbove = prepareQuery((db, { ids, userId, today }: RoleHolder & { ids: readonly number[] }) => {
  const holder = { userId, today }
  const direct = levelAt(holder, sql<boolean>`m.namespace_id = places.id`)
  const inGroup = levelAt(holder, sql<boolean>`m.namespace_id = g.ancestor_id`)
  const home = sql`select ${sql.lit(role.owner)} from namespaces home
    where home.id = places.id and home.kind = 'user' and home.owner_id = ${userId}`
  const ofGroup = sql`coalesce((select max(${inGroup}) from namespace_ancestors g where g.namespace_id = l.group_id), 0)`
  const invited = sql`select max(${smaller(db)}(l.access_level, ${ofGroup})) from group_links l
    where l.namespace_id = places.id and ${has('l', role.guest, today)}`
  return {
    compile: () =>
      sql<PlaceRow>`
        with above as materialized (
          select a.namespace_id, a.ancestor_id from namespace_ancestors a where ${within(db, 'a.namespace_id', ids)}),
        places as materialized (select distinct ancestor_id as id from above)
        select namespace_id as id, ancestor_id as above, 0 as level from above
        union all
        select id, id, level from (
          select places.id, ${direct} as level from places
          union all select places.id, (${home}) from places
          union all select places.id, (${invited}) from places) levels where level > 0`.compile(db as never),
  }
})

const levelsInProjects = prepareQuery((db, { ids, userId, today }: RoleHolder & { ids: readonly number[] }) => ({
  compile: () =>
    sql<LevelRow>`
      select mine.project_id as id, mine.access_level as level from members mine
        where ${within(db, 'mine.project_id', ids)} and mine.user_id = ${userId} and ${has('mine', role.guest, today)}
      union all
      select l.project_id, ${sharedLevel(db, 'l', 'm')} from ${fromPlace}
        where ${isThroughGroup({ userId, today }, role.guest)} and ${within(db, 'l.project_id', ids)}`.compile(
      db as never,
    ),
}))

const toLevels = (rows: readonly LevelRow[]) => highestById(rows.map(({ id, level }) => [id, level]))

const ancestorsOf = prepareQuery((db, { namespaceIds }: { namespaceIds: number[] }) =>
  db
    .selectFrom('namespace_ancestors')
    .select(['namespace_id', 'ancestor_id'])
    .where(within(db, 'namespace_id', namespaceIds)),
)

/** For each of these namespaces in which a user has a role, of its own or inherited, the highest level, with one query. */
export async function levelsOf(db: Reader, holder: RoleHolder, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await placesAbove(db, { ...holder, ids: [...new Set(ids)] })
  const levels = highestById(rows.filter(({ level }) => level > 0).map(({ above, level }) => [above, level]))
  const known = rows.filter(({ above, level }) => level === 0 && levels.has(above))
  return highestById(known.map(({ id, above }) => [id, levels.get(above) ?? 0]))
}

/** `levelsOf` for roles that may be loaded already. */
export async function inheritedLevels(
  db: Reader,
  roles: OwnRoles,
  namespaceIds: readonly number[],
): Promise<Map<number, number>> {
  if (!roles.loaded) return levelsOf(db, roles.holder, namespaceIds)
  const { namespaces } = roles.loaded
  if (namespaces.size === 0 || namespaceIds.length === 0) return new Map()
  const rows = await ancestorsOf(db, { namespaceIds: [...new Set(namespaceIds)] })
  const known = rows.filter((row) => namespaces.has(row.ancestor_id))
  return highestById(known.map((row) => [row.namespace_id, namespaces.get(row.ancestor_id) ?? 0]))
}

/** The permissions in these projects, of their own and inherited; without a query for users without member roles. */
export async function permissionsInProjects(
  db: Reader,
  { permissions: own }: OwnRoles,
  projects: readonly { id: number; namespace_id: number }[],
): Promise<ReadonlyMap<number, Permissions>> {
  if (!own || projects.length === 0) return new Map()
  const namespaceIds = [...new Set(projects.map(({ namespace_id: id }) => id))]
  const above = Map.groupBy(await ancestorsOf(db, { namespaceIds }), ({ namespace_id: id }) => id)
  const inherited = (id: number) => (above.get(id) ?? []).map((row) => own.namespaces.get(row.ancestor_id))
  return new Map(
    projects.map(({ id, namespace_id }) => [id, unitedPermissions([own.projects.get(id), ...inherited(namespace_id)])]),
  )
}

/** The levels in these projects themselves, not inherited. */
export async function projectLevels(
  db: Reader,
  roles: OwnRoles,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (roles.loaded) return roles.loaded.projects
  if (projectIds.length === 0) return new Map()
  return toLevels(await levelsInProjects(db, { ...roles.holder, ids: [...new Set(projectIds)] }))
}
