import { type Actor, notFound } from '../../api/index.ts'
import { canUseFeature, type Project, type ProjectSubject, project } from '../projects/index.ts'

/** Whether the caller may see the releases of a project (contract 00, "Visibility and code access"). */
export const seesReleases = (actor: Actor, project: Project): boolean => canUseFeature(actor, project, 'releases')

/** A project whose releases the caller may see; else 404. */
export const projectWithReleases: ProjectSubject = {
  ...project,
  authorize(actor, found, ability) {
    if (!seesReleases(actor, found)) throw notFound()
    return project.authorize(actor, found, ability)
  },
}
