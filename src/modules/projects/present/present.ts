import { setImmediate } from 'node:timers/promises'
import type { Actor, Static } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { OwnRoles } from '../../access/index.ts'
import type { Project } from '../core/access.ts'
import type { ProjectRow } from '../tables.ts'
import { BasicProject } from './basic.ts'
import { loadFacts, type ProjectFacts } from './facts.ts'
import { type PresentedProject, ProjectObject } from './full.ts'
import { type PresentOptions, viewOf } from './view.ts'

export { BasicProject } from './basic.ts'
export { type PresentedProject, ProjectObject } from './full.ts'

type Options = PresentOptions & {
  /** The caller's roles, when they are loaded already. */
  roles?: OwnRoles
}

/** Presents projects in the order of `rows`, a page at once; one that was deleted meanwhile is left out (contract 21, Project). */
export async function presentProjects(
  platform: Platform,
  rows: readonly (ProjectRow | Project)[],
  actor: Actor,
  options: Options = {},
): Promise<PresentedProject[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const [base, loaded] = await Promise.all([
    viewOf(platform, actor, options, ids),
    loadFacts(platform, rows, actor, options.roles),
  ])
  const view = await ProjectObject.load(loaded, base)
  // At the basic level both present the same; one has no members to leave out.
  const present: (facts: ProjectFacts, shown: typeof view) => PresentedProject = view.isFull
    ? ProjectObject.present
    : BasicProject.present
  const presented: PresentedProject[] = []
  for (const facts of loaded) {
    presented.push(present(facts, view))
    // The Markdown of a page of descriptions would hold up other requests.
    if (view.isFull && facts.project.description) await setImmediate()
  }
  return presented
}

/** Presents one project, at the full level for users. */
export async function presentProject(
  platform: Platform,
  project: ProjectRow | Project,
  actor: Actor,
  options: Options = {},
): Promise<PresentedProject> {
  const [presented] = await presentProjects(platform, [project], actor, options)
  if (!presented) throw new Error(`project ${project.id} was deleted while it was presented`)
  return presented
}

/** Presents one project at the basic level, as inside other objects. */
export async function presentBasicProject(
  platform: Platform,
  project: Project,
  actor: Actor,
): Promise<Static<typeof BasicProject>> {
  return presentProject(platform, project, actor, { simple: true })
}
