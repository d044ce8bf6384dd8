import { type RawBuilder, sql } from 'kysely'
import { type Actor, isAdministrator } from '../../../../api/index.ts'
import {
  type Condition,
  type ListContext,
  neverTrue,
  type Predicate,
  type PredicateUse,
  type Reader,
  type TestUse,
  unindexed,
} from '../../../../infra/database/index.ts'
import { type OwnRoles, reachesNamespace, reachesProject, role } from '../../../access/index.ts'
import { openVisibilities } from '../../../namespaces/index.ts'

/** A column of projects, for conditions that are used in this way. */
function column(db: Reader, name: 'id' | 'namespace_id' | 'visibility', use: PredicateUse): RawBuilder<unknown> {
  return use === 'drives' ? sql.ref(`projects.${name}`) : unindexed(db, `projects.${name}`)
}

/** Projects that are not being deleted. */
export const isThere: Condition = sql<boolean>`projects.pending_delete = ${false}`

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

/** Which projects a caller who is no administrator can see: `canSee` as a condition. */
function visibleTo(db: Reader, actor: Actor, roles: OwnRoles, use: TestUse): Condition {
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

export type Caller = {
  actor: Actor
  roles: OwnRoles
  /** The level that the caller has at least in each of the projects that are asked about. */
  least?: number
}

/** The projects that the caller can see, as a predicate of a list; none for those who see all. */
export function seenBy({ db }: ListContext, caller: Caller): Predicate[] {
  const { actor, roles } = caller
  if (isAdministrator(actor)) return []
  const seen = (use: TestUse) => visibleTo(db, actor, roles, use)
  const ids = sql.join([...visibleIds(db, caller)], sql` union all `)
  return [{ holds: seen('tests'), holdsForMany: seen('counts'), driver: { ids } }]
}

/** The projects in which the caller has at least this role, direct or inherited. */
export function reachedBy({ db }: ListContext, { roles }: Caller, least: number): Predicate {
  const id = sql.ref('projects.id')
  const own = reachesProject(db, roles, id, least)
  const inherited = reachesNamespace(db, roles, sql.ref('projects.namespace_id'), least)
  const isOwn = reachesProject(db, roles, id, least, 'tests')
  const all = sql`select projects.id from projects`
  return {
    holds: isMemberOf(db, roles, least, 'tests'),
    holdsForMany: isMemberOf(db, roles, least, 'counts'),
    driver: {
      ids: sql`${all} where ${own} union all ${all} where ${inherited} and not ${isOwn}`,
      isSufficient: true,
    },
  }
}
