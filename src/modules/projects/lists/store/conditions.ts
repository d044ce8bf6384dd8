import { type RawBuilder, sql } from 'kysely'
import { type Actor, isAdministrator } from '../../../../api/index.ts'
import {
  anyContains,
  isFound,
  neverTrue,
  type PredicateUse,
  plannedForValues,
  type Reader,
  type TestUse,
  unindexed,
} from '../../../../infra/database/index.ts'
import { type OwnRoles, reachesNamespace, reachesProject, role } from '../../../access/index.ts'
import { openVisibilities } from '../../../namespaces/index.ts'
import type { ListParams } from '../params.ts'

/** A condition on rows of `projects`. */
export type Condition = RawBuilder<boolean>

/** A column of projects, for conditions that are used in this way. */
function column(db: Reader, name: 'id' | 'namespace_id' | 'visibility', use: PredicateUse): RawBuilder<unknown> {
  return use === 'drives' ? sql.ref(`projects.${name}`) : unindexed(db, `projects.${name}`)
}

/** Projects that are not being deleted. */
export const isThere: Condition = sql<boolean>`projects.pending_delete = ${false}`

/** The same by the id alone: an index has the few that are being deleted. */
const isStaying: Condition = sql<boolean>`projects.id not in (
  select leaving.id from projects leaving where leaving.pending_delete = true)`

/** Whether the caller has a role in the project, direct or inherited. */
export function isMemberOf(db: Reader, roles: OwnRoles, minimum = 0, use: PredicateUse = 'drives'): Condition {
  const own = reachesProject(db, roles, column(db, 'id', use), minimum, use)
  const inherited = reachesNamespace(db, roles, column(db, 'namespace_id', use), minimum, use)
  // SQLite uses no index for a condition that is part of an `or` without one.
  if (own === neverTrue) return inherited
  return inherited === neverTrue ? own : sql<boolean>`(${own} or ${inherited})`
}

/** Whether the project is open to the caller without a role. */
function isOpenTo(db: Reader, actor: Actor, use: PredicateUse): Condition {
  // Literals, so that PostgreSQL can estimate the number of rows of each even in a cached plan.
  const levels = sql.join(openVisibilities(actor).map((level) => sql.lit(level)))
  return sql<boolean>`${column(db, 'visibility', use)} in (${levels})`
}

/** Which projects the caller can see: `canSee` as a condition. Null for all of them. */
function visibleTo(db: Reader, actor: Actor, roles: OwnRoles, use: PredicateUse = 'drives'): Condition | null {
  if (isAdministrator(actor)) return null
  const open = isOpenTo(db, actor, use)
  return actor.kind === 'user' ? sql<boolean>`(${open} or ${isMemberOf(db, roles, 0, use)})` : open
}

/**
 * The ids of projects among which are all that a caller can see, as selects that each use an index. A project may be in several, and
 * some may be being deleted.
 */
export function visibleIds(db: Reader, { actor, roles }: Caller): readonly RawBuilder<unknown>[] {
  const ids = sql`select projects.id from projects`
  if (isAdministrator(actor)) return [ids]
  const reached = [
    reachesProject(db, roles, sql.ref('projects.id'), 0),
    reachesNamespace(db, roles, sql.ref('projects.namespace_id'), 0),
  ]
  const conditions = [isOpenTo(db, actor, 'drives'), ...(actor.kind === 'user' ? reached : [])]
  return conditions.filter((one) => one !== neverTrue).map((one) => sql`${ids} where ${one}`)
}

/** A shorter text is compared with the whole name, path or description. */
const shortestPart = 3

/** Whether a project has a text in its name, path or description. @param table the name of the table in the query */
export function matches(text: string, withNamespaces: boolean, table: 'projects' | 'found' = 'projects'): Condition {
  const columns = ['name', 'path', 'description', ...(withNamespaces ? ['full_path'] : [])]
  const named = (column: string) => `${table}.${column}`
  if ([...text].length >= shortestPart)
    return sql<boolean>`${anyContains(columns.map(named), text)} ${plannedForValues}`
  const conditions = columns.map((column) => {
    const whole = sql.ref(named(column))
    const isShort = column === 'description' ? sql`and length(${whole}) < 3` : sql``
    return sql`(lower(${whole}) = ${text.toLowerCase()} ${isShort})`
  })
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

/** Who may use a feature of the project: `enabled`, `private` or `disabled`. */
export const featureLevel = (name: string) => sql<string>`coalesce(projects.settings ->> ${sql.lit(name)}, 'enabled')`

/** Whether the feature is available to the caller. */
export function hasFeature(name: string, isMember: Condition | null): Condition {
  const level = featureLevel(name)
  if (isMember === null) return sql<boolean>`${level} <> 'disabled'`
  return sql<boolean>`(${level} = 'enabled' or (${level} = 'private' and ${isMember}))`
}

/**
 * Whether the caller can see the project and use a feature of each of these levels, for rows that are found otherwise. The
 * condition on the caller's roles is in it once: it may have thousands of ids.
 */
export function isUsableBy(
  db: Reader,
  { actor, roles, least = role.none }: Caller,
  levels: readonly RawBuilder<string>[],
  use: TestUse,
): Condition {
  const all = (compared: RawBuilder<unknown>) => levels.map((level) => sql` and ${level} ${compared}`)
  if (isAdministrator(actor)) return sql<boolean>`(${isThere}${sql.join(all(sql`<> 'disabled'`), sql``)})`
  const available = sql.join(all(sql`in ('enabled', 'private')`), sql``)
  if (least >= role.guest) return sql<boolean>`(${isThere}${available})`
  const open = sql<boolean>`(${isOpenTo(db, actor, 'tests')}${sql.join(all(sql`= 'enabled'`), sql``)})`
  if (actor.kind !== 'user') return sql<boolean>`(${isThere} and ${open})`
  const isMember = isMemberOf(db, roles, 0, use)
  return sql<boolean>`(${isThere} and (${open} or (${isMember}${available})))`
}

/** Who may see issues or, with the code, merge requests of a project: as the level of a feature. */
const planningLevel = () => {
  const issues = featureLevel('issues_access_level')
  const requests = [featureLevel('merge_requests_access_level'), featureLevel('repository_access_level')] as const
  const both = (compared: RawBuilder<unknown>) => sql`(${requests[0]} ${compared} and ${requests[1]} ${compared})`
  return sql<string>`(case when ${issues} = 'enabled' or ${both(sql`= 'enabled'`)} then 'enabled'
    when ${issues} = 'private' or ${both(sql`<> 'disabled'`)} then 'private' else 'disabled' end)`
}

/** Whether the caller can read the labels and milestones of the project: `read_labels` of the policy as a condition. */
export function plansAreReadable(db: Reader, caller: Caller, use: TestUse): Condition {
  const { actor, roles, least = role.none } = caller
  const isUsable = isUsableBy(db, caller, [planningLevel()], use)
  if (isAdministrator(actor) || least >= role.reporter || actor.kind !== 'user') return isUsable
  // A private project shows merge requests to those who may read its code.
  const isOpen = sql<boolean>`(${featureLevel('issues_access_level')} <> 'disabled' or projects.visibility <> 'private')`
  return sql<boolean>`(${isUsable} and (${isOpen} or ${isMemberOf(db, roles, role.reporter, use)}))`
}

const largestId = Number.MAX_SAFE_INTEGER

/** An id that every engine accepts in a comparison. */
export function bound(id: number): number {
  return Math.max(-largestId, Math.min(largestId, id))
}

/** The lowest role that a filter requires; null when it requires none. */
function neededLevel({ owned, membership, min_access_level: level }: ListParams): number | null {
  const asked = [owned ? role.owner : null, membership ? 0 : null, level ?? null].filter((one) => one !== null)
  return asked.length > 0 ? Math.max(...asked) : null
}

/** The projects that the caller can see, restricted by their role as the filter says. */
function accessConditions(db: Reader, filter: ListParams, caller: ListCaller, use: PredicateUse): Condition[] {
  const { actor, roles, isReached } = caller
  const level = actor.kind === 'user' ? neededLevel(filter) : null
  const seen = isReached ? null : visibleTo(db, actor, roles, use)
  const visible = level === null ? seen : isMemberOf(db, roles, level, use)
  return visible ? [visible] : []
}

/**
 * Restricts a list by the caller's role to the projects of the namespaces where they have it, which are nearly all of those of a caller
 * with many roles. Null where that is of no use.
 */
export function inReachedNamespaces(db: Reader, filter: ListParams, { actor, roles }: Caller): Condition | null {
  const level = actor.kind === 'user' ? neededLevel(filter) : null
  if (level === null || roles.loaded) return null
  return reachesNamespace(db, roles, sql.ref('projects.namespace_id'), level)
}

/**
 * The conditions of the filters by columns, by the names of the filters.
 * @param column a column of projects, by the name of the table in the query
 */
export function columnFilters(
  filter: ListParams,
  column: (name: string) => RawBuilder<unknown>,
): Partial<Record<keyof ListParams, Condition>> {
  const { archived, visibility, imported, marked_for_deletion_on: day } = filter
  const { last_activity_after: activeAfter, last_activity_before: activeBefore } = filter
  const { updated_after: updatedAfter, updated_before: updatedBefore } = filter
  const [activeAt, updatedAt] = [column('last_activity_at'), column('updated_at')]
  return {
    // A literal, for which PostgreSQL uses the index of archived projects also in a plan for any values.
    ...(archived !== undefined && { archived: sql<boolean>`${column('archived')} = ${sql.lit(archived)}` }),
    ...(visibility && { visibility: sql<boolean>`${column('visibility')} = ${visibility}` }),
    ...(imported && { imported: sql<boolean>`${column('import_url')} is not null` }),
    ...(day && { marked_for_deletion_on: sql<boolean>`${column('marked_for_deletion_on')} = ${day}` }),
    ...(activeAfter && { last_activity_after: sql<boolean>`${activeAt} > ${activeAfter}` }),
    ...(activeBefore && { last_activity_before: sql<boolean>`${activeAt} < ${activeBefore}` }),
    ...(updatedAfter && { updated_after: sql<boolean>`${updatedAt} >= ${updatedAfter}` }),
    ...(updatedBefore && { updated_before: sql<boolean>`${updatedAt} <= ${updatedBefore}` }),
  }
}

/** The conditions of the filters by columns and texts. @param isFound whether an index of other columns finds the projects */
function plainFilters(db: Reader, filter: ListParams, isFound: boolean): Condition[] {
  const text = filter.search?.trim()
  const ofText = text ? [matches(text, filter.search_namespaces === true)] : []
  const column = (name: string) => (isFound ? unindexed(db, `projects.${name}`) : sql.ref(`projects.${name}`))
  return [...ofText, ...Object.values(columnFilters(filter, column))]
}

function idFilters({ id_after: after, id_before: before }: ListParams): Condition[] {
  return [
    ...(after === undefined ? [] : [sql<boolean>`projects.id > ${bound(after)}`]),
    ...(before === undefined ? [] : [sql<boolean>`projects.id < ${bound(before)}`]),
  ]
}

export type Caller = {
  actor: Actor
  roles: OwnRoles
  /** The level that the caller has at least in each of the projects that are asked about. */
  least?: number
}

/**
 * The caller of a list.
 * @property isReached whether they have a role in all its projects
 * @property isFound whether its scope or a selection finds its projects
 */
type ListCaller = Caller & { isReached: boolean; isFound: boolean }

/**
 * `accessConditions` about the ids of projects, which are also named `found_id`: what is not open by a role in the project itself is
 * looked up.
 */
function accessById(
  db: Reader,
  filter: ListParams,
  { actor, roles, isReached }: Omit<ListCaller, 'isFound'>,
  use: PredicateUse,
): Condition[] {
  const level = actor.kind === 'user' ? neededLevel(filter) : null
  if (level === null && (isReached || isAdministrator(actor))) return []
  const open = level === null ? [isOpenTo(db, actor, use)] : []
  const isSignedIn = actor.kind === 'user'
  const least = level ?? 0
  const inherited = isSignedIn ? [reachesNamespace(db, roles, column(db, 'namespace_id', use), least, use)] : []
  const isAllowed = sql.join([...open, ...inherited], sql` or `)
  // As a value, so that PostgreSQL computes the namespaces once instead of joining them for each row.
  const row = isFound(db, sql`projects where projects.id = found_id and (${isAllowed}) is true`)
  const own = isSignedIn ? reachesProject(db, roles, sql.ref('projects.id'), least, use) : neverTrue
  return [own === neverTrue ? row : sql<boolean>`(${own} or ${row})`]
}

/** The conditions of a list on its projects. */
export type ListConditions = {
  /** Those on `projects.id` alone. */
  byId: readonly Condition[]
  /** Those on the rows of the projects. */
  conditions: readonly Condition[]
  /** The same about ids alone, which are also named `found_id`; null where the rows are needed. */
  idsOnly: readonly Condition[] | null
}

/** All conditions of a list: the caller's access and the filter. */
export function conditionsOf(db: Reader, filter: ListParams, caller: ListCaller, use: PredicateUse): ListConditions {
  const isAdmin = isAdministrator(caller.actor)
  const isMember = isAdmin ? null : isMemberOf(db, caller.roles, 0, use === 'counts' ? use : 'tests')
  const mayLeave = isAdmin && filter.include_pending_delete
  const filters = [
    ...plainFilters(db, filter, caller.isFound),
    ...(filter.with_issues_enabled ? [hasFeature('issues_access_level', isMember)] : []),
    ...(filter.with_merge_requests_enabled ? [hasFeature('merge_requests_access_level', isMember)] : []),
  ]
  return {
    byId: idFilters(filter),
    conditions: [...(mayLeave ? [] : [isThere]), ...accessConditions(db, filter, caller, use), ...filters],
    idsOnly: filters.length > 0 ? null : [...(mayLeave ? [] : [isStaying]), ...accessById(db, filter, caller, use)],
  }
}
