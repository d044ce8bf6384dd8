import { sql } from 'kysely'
import {
  compare,
  type ListContext,
  onIndex,
  type Predicate,
  semiJoin,
  type TestUse,
} from '../../../../infra/database/index.ts'
import { type OwnRoles, reachesNamespace, role } from '../../../access/index.ts'
import { isMemberOf, reachesFewProjects } from '../../../projects/index.ts'

// Which runners a list has. A runner belongs to the instance, to a group, or to projects.

/** Runners of the instance. */
export const ofInstance = (context: ListContext): Predicate =>
  onIndex(context, 'runner_type', (column) => sql<boolean>`${column} = 'instance_type'`)

/** Runners of a group. */
export const ofGroup = (context: ListContext, groupId: number): Predicate =>
  onIndex(context, 'namespace_id', (column) => sql<boolean>`${column} = ${groupId}`)

/** Runners that are assigned to a project. */
export const ofProject = (context: ListContext, projectId: number): Predicate =>
  semiJoin(context, sql`runner_projects found where found.project_id = ${projectId}`, 'runner_id')

/** Runners of the groups that a user owns. */
export function ofOwnedGroups(context: ListContext, roles: OwnRoles): Predicate {
  const { db } = context
  const isOwned = (use: TestUse) => {
    const isReached = reachesNamespace(db, roles, compare(context, 'namespace_id'), role.owner, use)
    return sql<boolean>`(runners.runner_type = 'group_type' and ${isReached})`
  }
  const ids = sql`select runners.id from runners where ${reachesNamespace(db, roles, sql.ref('runners.namespace_id'), role.owner)}`
  return { holds: isOwned('tests'), holdsForMany: isOwned('counts'), driver: { ids, isSufficient: true } }
}

/** Runners of the projects that a user maintains. Few projects find them; of many the projects of each runner are tested. */
export async function ofMaintainedProjects({ db }: ListContext, roles: OwnRoles): Promise<Predicate> {
  const isMaintained = (use: TestUse) => isMemberOf(db, roles, role.maintainer, use)
  const isAssigned = (use: TestUse) => sql<boolean>`(runners.runner_type = 'project_type' and exists (
    select 1 from runner_projects a cross join projects
      where a.runner_id = runners.id and projects.id = a.project_id and ${isMaintained(use)}))`
  const tested = { holds: isAssigned('tests'), holdsForMany: isAssigned('counts') }
  if (!(await reachesFewProjects(db, roles, role.maintainer, 'runners'))) return tested
  const ids = sql`select distinct a.runner_id as id from runner_projects a join projects on projects.id = a.project_id
    where ${isMemberOf(db, roles, role.maintainer)}`
  return { ...tested, driver: { ids, isSufficient: true } }
}
