import { type Actor, forbidden, notFound } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, now } from '../../../infra/database/index.ts'
import type { Project } from '../core/access.ts'
import { holdProject, updateProject } from '../core/store.ts'
import type { PresentedProject, ProjectPresenter } from '../present/present.ts'

export type ArchiveNeeds = { database: Database; clock: Clock; presenter: Pick<ProjectPresenter, 'presentProject'> }

/** Archiving: a project that can be looked at and not be changed (contract 21, x.projects_archive). */
export type Archive = ReturnType<typeof createArchive>

export function createArchive({ database, clock, presenter }: ArchiveNeeds) {
  return {
    /**
     * Archives a project, or takes it out of the archive; nothing happens when it is so already.
     * @throws ApiError 403 while it is marked for deletion
     */
    async setArchived(project: Project, archived: boolean, actor: Actor): Promise<PresentedProject> {
      const row = await database.write(async (tx) => {
        const held = await holdProject(tx, project.id)
        if (!held || held.pending_delete) throw notFound('Project')
        if (held.marked_for_deletion_on !== null) throw forbidden()
        if (held.archived === archived) return held
        return (await updateProject(tx, held.id, { archived, updated_at: now(clock) })) ?? held
      })
      return presenter.presentProject({ ...row, role: project.role }, actor)
    },
  }
}
