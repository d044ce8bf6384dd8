import { type Actor, isAdministrator, notFound } from '../../api/index.ts'
import { role } from '../access/index.ts'
import { type Project, type ProjectSubject, settingsOf } from '../projects/index.ts'

/** Whether the project has releases for the actor (contract 00, "Visibility and code access"). */
export function seesReleases(actor: Actor, project: Project): boolean {
  const level = settingsOf(project).releases_access_level
  if (level === 'enabled' || isAdministrator(actor)) return level !== 'disabled'
  return level === 'private' && project.role.level >= role.guest
}

/** The subject of operations on releases: a project, of which there is nothing to be had where the feature is off. */
export function releaseSubject(project: ProjectSubject): ProjectSubject {
  return {
    ...project,
    authorize(actor, found, ability) {
      if (!seesReleases(actor, found)) throw notFound()
      return project.authorize(actor, found, ability)
    },
  }
}
