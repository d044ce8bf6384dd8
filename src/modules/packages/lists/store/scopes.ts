import { type RawBuilder, sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import {
  type Condition,
  isFound,
  type ListContext,
  type ListQuery,
  type Predicate,
  type TestUse,
} from '../../../../infra/database/index.ts'
import { role } from '../../../access/index.ts'
import { openVisibilities, subtreeOf } from '../../../namespaces/index.ts'
import { featureLevel, isMemberOf, isThere, type ProjectCaller } from '../../../projects/index.ts'

/** What a list of packages depends on. */
export type PackagesContext = ListContext & { caller: ProjectCaller }

/** The packages of one project. */
export const ofProject = ({ id }: { id: number }): ListQuery => ({
  lookUps: [],
  predicates: [],
  scope: sql<boolean>`packages.project_id = ${id}`,
})

/** The group of a list, whose subgroups may be left out; guests read packages where the feature flag says so. */
export type ListedGroup = { id: number; withoutSubgroups: boolean; guestsRead: boolean }

function isBelow({ db }: PackagesContext, { id, withoutSubgroups }: ListedGroup, use: TestUse): Condition {
  if (withoutSubgroups) return sql<boolean>`projects.namespace_id = ${id}`
  if (use !== 'tests') return sql<boolean>`projects.namespace_id in ${subtreeOf(id)}`
  return isFound(
    db,
    sql`namespace_ancestors above where above.namespace_id = projects.namespace_id and above.ancestor_id = ${id}`,
  )
}

/** Whether the caller may read the packages of a project: `read_packages` of the policy as a condition (contract 23 R1). */
function isReadable({ db, caller }: PackagesContext, { guestsRead }: ListedGroup, use: TestUse): Condition {
  const { actor, roles, least = role.none } = caller
  const level = featureLevel('package_registry_access_level')
  const isOn = sql<boolean>`(${isThere} and ${level} <> 'disabled')`
  if (isAdministrator(actor) || least >= role.reporter) return isOn
  const open = sql.join(openVisibilities(actor).map((visibility) => sql.lit(visibility)))
  const isOpen = sql`(projects.visibility in (${open}) and ${level} <> 'private')`
  const isMember = actor.kind === 'user' ? [sql` or ${isMemberOf(db, roles, role.reporter, use)}`] : []
  const isGuest =
    actor.kind === 'user' && guestsRead
      ? [sql` or (${level} <> 'private' and ${isMemberOf(db, roles, role.guest, use)})`]
      : []
  return sql<boolean>`(${isOn} and (${sql.join([isOpen, ...isMember, ...isGuest], sql``)}))`
}

/** The projects of the group whose packages the caller may read, as `id`, `full_path` of `parent`. */
export function projectsOf(context: PackagesContext, group: ListedGroup): RawBuilder<unknown> {
  const { id, withoutSubgroups } = group
  const isRead = isReadable(context, group, 'counts')
  if (withoutSubgroups) {
    return sql`(select projects.id, projects.full_path from projects
      where projects.namespace_id = ${id} and ${isRead}) parent`
  }
  return sql`(select projects.id, projects.full_path from namespace_ancestors below cross join projects
    where below.ancestor_id = ${id} and projects.namespace_id = below.namespace_id and ${isRead}) parent`
}

export const isOfProject: Condition = sql<boolean>`packages.project_id = parent.id`

/** Where projects are few, what is asked of them is asked once for each, and not for each package. */
function ofFewProjects(context: PackagesContext, group: ListedGroup): ListQuery {
  const isListed = sql`${isBelow(context, group, 'tests')} and ${isReadable(context, group, 'tests')}`
  const found: Predicate = {
    holds: isFound(context.db, sql`projects where projects.id = packages.project_id and ${isListed}`),
    parents: { named: 'parent', table: projectsOf(context, group), on: isOfProject },
  }
  return { lookUps: [], predicates: [found], scope: null }
}

/** The packages of a group and of what is below it that the caller may read. */
export function ofGroup(context: PackagesContext, group: ListedGroup): ListQuery {
  if (context.hasFewParents) return ofFewProjects(context, group)
  const tested = (condition: typeof isBelow): Predicate => ({
    holds: condition(context, group, 'tests'),
    holdsForMany: condition(context, group, 'counts'),
  })
  return {
    lookUps: [{ table: 'projects', on: sql<boolean>`projects.id = packages.project_id` }],
    predicates: [tested(isBelow), tested(isReadable)],
    scope: null,
  }
}
