import { type Actor, conflict, dayOf, forbidden, notFound } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { acquireLock, type Database, now } from '../../../infra/database/index.ts'
import { may, type Project } from '../core/access.ts'
import { descendsFrom, holdProject, updateProject } from '../core/store.ts'
import { visibleProject } from '../core/visible-project.ts'
import type { PresentedProject, ProjectPresenter } from '../present/present.ts'

export type ForkLinksNeeds = { database: Database; clock: Clock; presenter: Pick<ProjectPresenter, 'presentProject'> }

/** The relation between a fork and its source, without anything being copied (contract 21, x.projects_fork_link). */
export type ForkLinks = ReturnType<typeof createForkLinks>

const alreadyForked = () => conflict('Project already forked')

export function createForkLinks({ database, clock, presenter }: ForkLinksNeeds) {
  return {
    /**
     * Records that a project is a fork of another one.
     * @param sourceText id or full path of the source
     * @throws ApiError 404 when the actor does not see the source, 403 when they may not fork it, 409 when the project is
     * a fork already, or the source one of its own forks
     */
    async link(project: Project, sourceText: string, actor: Actor): Promise<PresentedProject> {
      const source = await visibleProject(database.read, sourceText, actor, dayOf(clock.now()))
      if (!source) throw notFound('Project')
      if (!may(actor, source, 'fork_project')) throw forbidden()
      const row = await database.write(async (tx) => {
        // Two links that close a circle between them would each look well alone.
        await acquireLock(tx, 'projects.fork_links')
        const held = await holdProject(tx, project.id)
        if (!held || held.pending_delete) throw notFound('Project')
        const isThere = await holdProject(tx, source.id)
        if (!isThere) throw notFound('Project')
        if (held.forked_from_id !== null || (await descendsFrom(tx, source.id, held.id))) throw alreadyForked()
        return updateProject(tx, held.id, { forked_from_id: source.id, updated_at: now(clock) })
      })
      return presenter.presentProject({ ...(row ?? project), role: project.role }, actor)
    },

    /** Ends the relation. @returns false when the project is no fork */
    async unlink(project: Project, requireUnmodified: (updatedAt: string) => void): Promise<boolean> {
      return database.write(async (tx) => {
        const held = await holdProject(tx, project.id)
        if (!held || held.pending_delete) throw notFound('Project')
        if (held.forked_from_id === null) return false
        requireUnmodified(held.updated_at)
        await updateProject(tx, held.id, { forked_from_id: null, updated_at: now(clock) })
        return true
      })
    },
  }
}
