import { type Actor, isAdministrator, notFound } from '../../api/index.ts'
import { role } from '../access/index.ts'
import { type Project, type ProjectSubject, project, settingsOf } from '../projects/index.ts'

/** Whether the caller may see the releases of a project (contract 00, "Visibility and code access"). */
export function seesReleases(actor: Actor, project: Project): boolean {
  const level = settingsOf(project).releases_access_level
  if (level === 'enabled' || isAdministrator(actor)) return level !== 'disabled'
  return level === 'private' && project.role.level >= role.guest
}

/** A project whose releases the caller may see; else 404. */
export const projectWithReleases: ProjectSubject = {
  ...project,
  authorize(actor, found, ability) {
    if (!seesReleases(actor, found)) throw notFound()
    return project.authorize(actor, found, ability)
  },
}
