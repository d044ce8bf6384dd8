import { sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import { role } from '../../../access/index.ts'
import {
  byScope,
  type Condition,
  type Filter,
  type ListContext,
  ofProjects,
  type Places,
  type Selection,
  sampleOf,
} from '../../../issuables/index.ts'
import { isMemberOf, type Project, type TestingUse } from '../../../projects/index.ts'
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

/** Whether the caller plans in all projects of a list of several. */
const isPlannerAnywhere = ({ actor, caller: { least = role.none } }: ListContext) =>
  isAdministrator(actor) || least >= role.planner

/** As `confidentialIn`, for issues of several projects, which are joined as `projects`. */
function confidentialAnywhere(context: ListContext): Filter[] {
  const { db, actor, caller } = context
  if (isPlannerAnywhere(context)) return []
  const readable = (use: TestingUse) => {
    const isPlanned = actor.kind === 'user' ? [isMemberOf(db, caller.roles, role.planner, use)] : []
    return sql<boolean>`(${sql.join([isOpen, ...ownOrAssigned(context), ...isPlanned], sql` or `)})`
  }
  return [{ matches: readable('filters'), counts: readable('counts') }]
}

/** The projects of a list. */
type Projects = { groupId?: number; nonArchived: boolean }

const placesOf = (projects: Projects): Places => ({ ...projects, features: ['issues_access_level'] })

/** What a list of several projects selects: the issues that the caller can see. */
export function issuesOfProjects(context: ListContext, projects: Projects): Selection {
  const seen = ofProjects(context, placesOf(projects))
  return { ...seen, filters: [...seen.filters, ...confidentialAnywhere(context)] }
}

/** Those of the largest of these projects, of which none is left out that everyone may see. @param filtersIn further filters */
export function issuesOfLargest(
  context: ListContext,
  projects: Projects,
  filtersIn: (context: ListContext) => readonly Filter[],
): NonNullable<Selection['sample']> {
  const open = isPlannerAnywhere(context) ? [] : [{ matches: isOpen }]
  return sampleOf(context, placesOf(projects), (within) => [...open, ...filtersIn(within)])
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
