import { sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import { not, type Predicate, semiJoin } from '../../../../infra/database/index.ts'
import { live, role } from '../../../access/index.ts'
import { type GroupContext, type Relations, reachedBy, seenBy, takesWrites } from '../../../groups/index.ts'
import { isReached } from '../../../namespaces/index.ts'
import type { ProjectRow } from '../../tables.ts'

type PlacedProject = Pick<ProjectRow, 'id' | 'namespace_id'>

/** The groups where the viewer may create projects: `mayCreateIn` as predicates. */
export function acceptingProjects(context: GroupContext): Predicate[] {
  const { db, viewer } = context
  const level = sql`coalesce(namespaces.settings ->> 'project_creation_level', 'developer')`
  if (isAdministrator(viewer.actor)) return [{ holds: takesWrites }, { holds: sql<boolean>`${level} <> 'noone'` }]
  const accepts = sql<boolean>`case ${level}
    when 'developer' then (1 = 1)
    when 'maintainer' then ${isReached(db, viewer.roles, role.maintainer, 'tests')}
    when 'owner' then ${isReached(db, viewer.roles, role.owner, 'tests')}
    else (1 = 0) end`
  // All of them are developers, so one set finds the groups.
  return [{ holds: takesWrites }, reachedBy(context, role.developer), { holds: accepts }]
}

/** Selects the groups above a project. */
const above = (project: PlacedProject) =>
  sql`select ancestor_id as id from namespace_ancestors where namespace_id = ${project.namespace_id}`

/** The groups that are not above a project and that it is not shared with. */
export function notSharedWith(context: GroupContext, project: PlacedProject, today: string): Predicate[] {
  const links = sql`group_links found where found.project_id = ${project.id} and ${live('found', today)}`
  return [{ holds: sql<boolean>`namespaces.id not in (${above(project)})` }, not(semiJoin(context, links, 'group_id'))]
}

/** The groups that were invited to a project itself, or to a group above it. */
export function invitedTo(
  context: GroupContext,
  project: PlacedProject,
  { isDirect, isInherited }: Relations,
  today: string,
): Predicate {
  const places = [
    ...(isDirect ? [sql`found.project_id = ${project.id}`] : []),
    ...(isInherited ? [sql`found.namespace_id in (${above(project)})`] : []),
  ]
  const links = sql`group_links found where (${sql.join(places, sql` or `)}) and ${live('found', today)}`
  return semiJoin(context, links, 'group_id', { isRepeated: true })
}

/** Of the groups that a project is shared with those at this level or above, and whether only those that the viewer can see. */
type Shared = { minimum: number; areSeen: boolean; today: string }

/** The groups above a project, and those that it is shared with. @param shared null for none of these */
export function withAccess(context: GroupContext, project: PlacedProject, shared: Shared | null): Predicate[] {
  const own = above(project)
  const isOwn = sql<boolean>`namespaces.id in (${own})`
  if (!shared) return [{ holds: isOwn, driver: { ids: own, isSufficient: true } }]
  const ids = sql`${own} union select group_id from group_links where project_id = ${project.id}
    and access_level >= ${shared.minimum} and ${live('group_links', shared.today)}`
  const seen = shared.areSeen ? seenBy(context) : []
  return [
    { holds: sql<boolean>`namespaces.id in (${ids})`, driver: { ids, isSufficient: true } },
    ...seen.map(({ holds }) => ({ holds: sql<boolean>`(${isOwn} or ${holds})` })),
  ]
}
