import { type Actor, conflict, forbidden, notFound } from '../../../api/index.ts'
import { acquireLock, now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { heldProject, may, type Project, today } from '../core/access.ts'
import { visibleProject } from '../core/lookup.ts'
import { descendsFrom, holdProject, updateProject } from '../core/store.ts'
import { type PresentedProject, presentProject } from '../present/present.ts'

const alreadyForked = () => conflict('Project already forked')

/**
 * Records that a project is a fork of another one; nothing is copied (contract 21, x.projects_fork_link).
 * @param sourceText id or full path of the source
 * @throws ApiError 404 when the actor cannot see the source, 403 when they may not fork it, 409 when the project is a fork
 * already, or the source is one of its own forks
 */
export async function linkFork(
  platform: Platform,
  project: Project,
  sourceText: string,
  actor: Actor,
): Promise<PresentedProject> {
  const { database, clock } = platform
  const source = await visibleProject(database.read, sourceText, actor, today(platform))
  if (!source) throw notFound('Project')
  if (!may(actor, source, 'fork_project')) throw forbidden()
  const row = await database.write(async (tx) => {
    // Two concurrent links could form a cycle that neither of them sees.
    await acquireLock(tx, 'projects.fork_links')
    const held = await heldProject(tx, project.id)
    if (!(await holdProject(tx, source.id))) throw notFound('Project')
    if (held.forked_from_id !== null || (await descendsFrom(tx, source.id, held.id))) throw alreadyForked()
    return updateProject(tx, held.id, { forked_from_id: source.id, updated_at: now(clock) })
  })
  return presentProject(platform, { ...(row ?? project), role: project.role }, actor)
}

/**
 * Ends the relation of a fork to its source (contract 21, x.projects_fork_unlink).
 * @param unmodified throws when the project is newer than the caller allows
 * @returns false when the project is no fork
 */
export async function unlinkFork(
  { database, clock }: Platform,
  project: Project,
  unmodified: (at: string) => void,
): Promise<boolean> {
  return database.write(async (tx) => {
    const held = await heldProject(tx, project.id)
    if (held.forked_from_id === null) return false
    unmodified(held.updated_at)
    await updateProject(tx, held.id, { forked_from_id: null, updated_at: now(clock) })
    return true
  })
}
