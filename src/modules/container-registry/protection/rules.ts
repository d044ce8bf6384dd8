import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { levelRequired, type Project, type ProtectedAction } from '../../projects/index.ts'
import { rulesOfProjects } from './store.ts'

/** The level that an action requires on a repository: 40, 50 or 60; 0 without a rule. */
export type Protection = (projectId: number, name: string, action: ProtectedAction) => number

/**
 * Loads the protection rules of projects, in one query. The highest matching rule counts (contract 02 R2).
 * @returns a function that takes the id of the project, the name of the repository in it, and the action
 */
export async function protectionOf(db: Reader, projectIds: readonly number[]): Promise<Protection> {
  if (projectIds.length === 0) return () => 0
  const rules = (await rulesOfProjects(db, projectIds)).map((rule) => ({
    ...rule,
    matches: wildcardMatcher(rule.pattern),
  }))
  const byProject = Map.groupBy(rules, ({ project_id }) => project_id)
  return (projectId, name, action) => {
    const path = name === '' ? '' : `/${name}`
    const matching = (byProject.get(projectId) ?? []).filter((rule) => rule.matches(path))
    return levelRequired(matching, action)
  }
}

/**
 * Whether a rule forbids the caller to delete a repository or its tags. Administrators are exempt.
 * @param name of the repository in the project, empty for the root repository
 */
export async function isProtectedFromDeletion(
  { database }: Platform,
  project: Project,
  actor: Actor,
  name: string,
): Promise<boolean> {
  if (isAdministrator(actor)) return false
  const required = await protectionOf(database.read, [project.id])
  return project.role.level < required(project.id, name, 'delete')
}
