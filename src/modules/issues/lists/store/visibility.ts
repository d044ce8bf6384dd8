import { sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import { type ReachUse, role } from '../../../access/index.ts'
import { byScope, type Condition, type Filter, type ListContext, type Selection } from '../../../issuables/index.ts'
import { subtreeOf } from '../../../namespaces/index.ts'
import { isMemberOf, openProjects, type Project, type TestingUse, visibleProjects } from '../../../projects/index.ts'
import { isPlanner } from '../../core/access.ts'

const isOpen: Condition = sql<boolean>`issues.confidential = ${sql.lit(false)}`

/** Issues that a caller may see although they are confidential: their own, and those they are assigned to. */
function ownOrAssigned(context: ListContext): Condition[] {
  if (context.actor.kind !== 'user') return []
  return (['created_by_me', 'assigned_to_me'] as const).flatMap((scope) =>
    byScope(context, { scope }).map(({ matches }) => matches),
  )
}

/** Confidential issues are for planners, their author and their assignees (contract 16, Permissions). */
export function confidentialIn(context: ListContext, project: Project): Filter[] {
  if (isPlanner(context.actor, project)) return []
  return [{ matches: sql<boolean>`(${sql.join([isOpen, ...ownOrAssigned(context)], sql` or `)})` }]
}

/** As `confidentialIn`, for issues of several projects, which are joined as `projects`. */
function confidentialAnywhere(context: ListContext): Filter[] {
  const { db, actor, caller } = context
  if (isAdministrator(actor)) return []
  const readable = (use: TestingUse) => {
    const isPlanned = actor.kind === 'user' ? [isMemberOf(db, caller.roles, role.planner, use)] : []
    return sql<boolean>`(${sql.join([isOpen, ...ownOrAssigned(context), ...isPlanned], sql` or `)})`
  }
  return [{ matches: readable('filters'), counts: readable('counts') }]
}

const isActive: Condition = sql<boolean>`projects.archived = ${false}`

/** Projects of a group and the groups below it. */
const below = (groupId: number): Condition => sql<boolean>`projects.namespace_id in ${subtreeOf(groupId)}`

/** What a list of several projects selects: the issues that the caller can see. */
export function issuesOfProjects(
  context: ListContext,
  { groupId, nonArchived }: { groupId?: number; nonArchived: boolean },
): Selection {
  const { db, caller } = context
  const own = [...(nonArchived ? [isActive] : []), ...(groupId === undefined ? [] : [below(groupId)])]
  const visible = (use: ReachUse) =>
    sql<boolean>`(${sql.join([...visibleProjects(db, caller, ['issues_access_level'], use), ...own], sql` and `)})`
  // Within a group its projects are few; elsewhere the caller's access finds them.
  const finding = visible(groupId === undefined ? 'finds' : 'counts')
  const projects = groupId === undefined ? openProjects(db, caller) : sql`projects where ${below(groupId)}`
  const ids = sql`select found.id from projects cross join issues found
    where found.project_id = projects.id and ${finding}`
  return {
    joins: [{ table: 'projects', on: sql<boolean>`projects.id = issues.project_id` }],
    filters: [
      { matches: visible('filters'), counts: visible('counts'), ...(projects && { ids, projects }) },
      ...confidentialAnywhere(context),
    ],
    scope: null,
  }
}

/** The issues of a milestone. */
export const ofMilestone = (id: number): Filter => ({
  matches: sql<boolean>`coalesce(issues.milestone_id = ${id}, false)`,
  ids: sql`select found.id from issues found where found.milestone_id = ${id}`,
})

/** What the list of one project selects. */
export function issuesOfProject(context: ListContext, project: Project): Selection {
  return {
    joins: [],
    filters: confidentialIn(context, project),
    scope: sql<boolean>`issues.project_id = ${project.id}`,
  }
}

/** The state of an issue, by which statistics count. */
export const stateKey = sql<string>`issues.state`
