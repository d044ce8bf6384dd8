import { type Actor, isAdministrator } from '../../api/index.ts'
import { role } from '../access/index.ts'
import { may, type Project, settingsOf } from '../projects/index.ts'

/** Whether the project has pipelines at all (`builds_access_level`). */
export function hasBuilds(project: Project): boolean {
  return settingsOf(project).builds_access_level !== 'disabled'
}

/**
 * Whether the actor is a CI reader (contract 04): a reporter, or whoever can read the project where `public_jobs` lets
 * them; only members where the feature is private.
 */
export function mayReadBuilds(actor: Actor, project: Project): boolean {
  if (!hasBuilds(project)) return false
  if (isAdministrator(actor) || project.role.level >= role.reporter) return true
  const { builds_access_level: level, public_jobs: isPublic } = settingsOf(project)
  const isOpen = level !== 'private' || project.role.level >= role.guest
  return isOpen && isPublic && may(actor, project, 'read_project')
}
