import { sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import type { Condition, ListQuery, Predicate, TestUse } from '../../../../infra/database/index.ts'
import { role } from '../../../access/index.ts'
import { type IssuableContext, type ListedProjects, ofCaller, ofProjects, sampleOf } from '../../../issuables/index.ts'
import { isMemberOf, type Project } from '../../../projects/index.ts'
import { isPlanner } from '../../core/access.ts'

const isOpen: Condition = sql<boolean>`issues.confidential = ${sql.lit(false)}`

/** Issues that a caller may see although they are confidential: their own, and those they are assigned to. */
function ownOrAssigned(context: IssuableContext): Condition[] {
  if (context.actor.kind !== 'user') return []
  return (['created_by_me', 'assigned_to_me'] as const).flatMap((scope) =>
    [ofCaller(context, scope)].flat().map(({ holds }) => holds),
  )
}

/** Confidential issues are for planners, their author and their assignees (contract 16, Permissions). */
export function confidentialIn(context: IssuableContext, project: Project): Predicate[] {
  if (isPlanner(context.actor, project)) return []
  return [{ holds: sql<boolean>`(${sql.join([isOpen, ...ownOrAssigned(context)], sql` or `)})` }]
}

/** Whether the caller plans in all projects of a list of several. */
const isPlannerAnywhere = ({ actor, caller: { least = role.none } }: IssuableContext) =>
  isAdministrator(actor) || least >= role.planner

/** As `confidentialIn`, for issues of several projects, which are joined as `projects`. */
function confidentialAnywhere(context: IssuableContext): Predicate[] {
  const { db, actor, caller } = context
  if (isPlannerAnywhere(context)) return []
  const readable = (use: TestUse) => {
    const isPlanned = actor.kind === 'user' ? [isMemberOf(db, caller.roles, role.planner, use)] : []
    return sql<boolean>`(${sql.join([isOpen, ...ownOrAssigned(context), ...isPlanned], sql` or `)})`
  }
  return [{ holds: readable('tests'), holdsForMany: readable('counts') }]
}

/** The projects of a list. */
type Projects = { groupId?: number; nonArchived: boolean }

const listedProjects = (projects: Projects): ListedProjects => ({ ...projects, features: ['issues_access_level'] })

/** What a list of several projects selects: the issues that the caller can see. */
export function issuesOfProjects(context: IssuableContext, projects: Projects): ListQuery {
  const seen = ofProjects(context, listedProjects(projects))
  return { ...seen, predicates: [...seen.predicates, ...confidentialAnywhere(context)] }
}

/** Those of the largest of these projects, of which none is left out that everyone may see. @param predicatesIn further predicates */
export function issuesOfLargest(
  context: IssuableContext,
  projects: Projects,
  predicatesIn: (context: IssuableContext) => readonly Predicate[],
): NonNullable<ListQuery['sample']> {
  const open = isPlannerAnywhere(context) ? [] : [{ holds: isOpen }]
  return sampleOf(context, listedProjects(projects), (within) => [...open, ...predicatesIn(within)])
}

/** The issues of a milestone. */
export const ofMilestone = (id: number): Predicate => ({
  holds: sql<boolean>`coalesce(issues.milestone_id = ${id}, false)`,
  driver: { ids: sql`select found.id from issues found where found.milestone_id = ${id}` },
})

/** What the list of one project selects. */
export function issuesOfProject(context: IssuableContext, project: Project): ListQuery {
  return {
    lookUps: [],
    predicates: confidentialIn(context, project),
    scope: sql<boolean>`issues.project_id = ${project.id}`,
  }
}

/** The state of an issue, by which statistics count. */
export const stateKey = sql<string>`issues.state`
