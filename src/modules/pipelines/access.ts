import { type Actor, isAdministrator } from '../../api/index.ts'
import { role } from '../access/index.ts'
import { callerIn, may, type Project, type ProjectRow, settingsOf } from '../projects/index.ts'

/** Whether the project's pipelines are enabled (`builds_access_level`). */
export function hasBuilds(project: ProjectRow): boolean {
  return settingsOf(project).builds_access_level !== 'disabled'
}

/**
 * Whether the caller may read pipelines (contract 04): reporters and above; with `public_jobs` everyone who may read the
 * project, or its members if the feature is private.
 */
export function mayReadBuilds(caller: Actor, project: Project): boolean {
  const actor = callerIn(caller, project)
  if (!hasBuilds(project)) return false
  if (isAdministrator(actor) || project.role.level >= role.reporter) return true
  const { builds_access_level: level, public_jobs: isPublic } = settingsOf(project)
  const isOpen = level !== 'private' || project.role.level >= role.guest
  return isOpen && isPublic && may(actor, project, 'read_project')
}
