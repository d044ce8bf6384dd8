import { sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import {
  type Condition,
  type ListQuery,
  type Predicate,
  type TestUse,
  within,
} from '../../../../infra/database/index.ts'
import { role } from '../../../access/index.ts'
import { type IssuableContext, type ListedProjects, ofProjects, sampleOf } from '../../../issuables/index.ts'
import { isMemberOf } from '../../../projects/index.ts'

/** Private projects show merge requests to those who may read their code (contract 19, "Permissions"). */
function readable({ db, actor, caller }: IssuableContext, use: TestUse): Condition[] {
  const { least = role.none } = caller
  if (isAdministrator(actor) || least >= role.reporter) return []
  const open = sql<boolean>`projects.visibility <> 'private'`
  if (actor.kind !== 'user') return [open]
  return [sql<boolean>`(${open} or ${isMemberOf(db, caller.roles, role.reporter, use)})`]
}

/** The projects of a list. */
type Projects = { groupId?: number; nonArchived: boolean }

const listedProjects = (context: IssuableContext, projects: Projects): ListedProjects => ({
  ...projects,
  features: ['merge_requests_access_level', 'repository_access_level'],
  readable: (use) => readable(context, use),
})

/** The merge requests of all projects that the caller can see, or of those below a group. */
export const requestsOfProjects = (context: IssuableContext, projects: Projects): ListQuery =>
  ofProjects(context, listedProjects(context, projects))

/** Those of the largest of these projects. @param predicatesIn further predicates */
export const requestsOfLargest = (
  context: IssuableContext,
  projects: Projects,
  predicatesIn: (context: IssuableContext) => readonly Predicate[],
): NonNullable<ListQuery['sample']> => sampleOf(context, listedProjects(context, projects), predicatesIn)

/** The merge requests of one project. */
export function requestsOfProject(projectId: number): ListQuery {
  return { lookUps: [], predicates: [], scope: sql<boolean>`merge_requests.project_id = ${projectId}` }
}

/** Those with a milestone. */
export function withMilestone(milestoneId: number): Predicate {
  return {
    holds: sql<boolean>`merge_requests.milestone_id = ${milestoneId}`,
    driver: { ids: sql`select found.id from merge_requests found where found.milestone_id = ${milestoneId}` },
  }
}

/** Only these. */
export function isAmong({ db }: IssuableContext, ids: readonly number[]): Predicate {
  const chosen = within(db, 'found.id', ids)
  return {
    holds: within(db, 'merge_requests.id', ids),
    driver: { ids: sql`select found.id from merge_requests found where ${chosen}` },
  }
}

/** The state of a row, for counting. */
export const stateKey = sql<string>`merge_requests.state`
