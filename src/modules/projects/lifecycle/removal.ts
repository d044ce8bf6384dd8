import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../../infra/database/index.ts'
import type { Jobs } from '../../../infra/jobs/index.ts'
import { namespaceOfUser } from '../../namespaces/index.ts'
import { type RemovedFiles, rememberRemoved } from '../../repositories/index.ts'
import type { Avatars } from '../../users/index.ts'
import { holdProject, projectById, updateProject } from '../core/store.ts'
import type { ProjectRow } from '../tables.ts'
import { botsOfProject, deleteProject, hideProjectsOf, leavingProjects } from './store.ts'

/** Ends what belongs to a project outside of the database, before its rows go; may be called again. */
export type ProjectRemover = (project: ProjectRow) => Promise<void>

export type ProjectRemovalNeeds = {
  database: Database
  clock: Clock
  jobs: Jobs
  avatars: Pick<Avatars, 'removeOthers'>
  removedFiles: RemovedFiles
  /** Takes the project's bots out of service, in the transaction that removes it. */
  retireBots(
    tx: Tx,
    place: { kind: 'project'; id: number },
    userIds: readonly number[],
    at: { now: string },
  ): Promise<void>
  /** What else ends with a project, in the transaction that removes it. */
  endings?: readonly ((tx: Tx, projectId: number) => Promise<void>)[]
  /** In this order: images of the registry, uploads, … (contract 21 R6). */
  removers?: readonly ProjectRemover[]
}

/** Removes projects for good: hidden at once, rows and files by a job (contract 21 R6). */
export type ProjectRemoval = ReturnType<typeof createProjectRemoval>

const removeJob = 'projects.remove'
/** Projects taken up again by one look at those that were left behind. */
const leavingAtOnce = 1000

export function createProjectRemoval(needs: ProjectRemovalNeeds) {
  const { database, clock, jobs, avatars, removedFiles, retireBots, removers = [], endings = [] } = needs

  /** Rows and the note of where the files are go and come in one transaction, so that nothing is ever left unspoken of. */
  async function removeRows(projectId: number): Promise<void> {
    await database.write(async (tx) => {
      const row = await holdProject(tx, projectId)
      if (!row?.pending_delete) return
      const moment = now(clock)
      await retireBots(tx, { kind: 'project', id: row.id }, await botsOfProject(tx, row.id), { now: moment })
      for (const end of endings) await end(tx, row.id)
      await rememberRemoved(tx, [row.id], moment)
      await deleteProject(tx, row.id)
      await removedFiles.removeLater(tx)
    })
  }

  async function removeNow(projectId: number): Promise<void> {
    const row = await projectById(database.read, projectId)
    if (!row?.pending_delete) return
    for (const remove of removers) await remove(row)
    await avatars.removeOthers('project', row.id, null)
    await removeRows(row.id)
  }

  async function enqueue(tx: Tx, id: number): Promise<void> {
    await jobs.enqueue(tx, removeJob, { projectId: id }, { uniqueKey: String(id) })
  }

  jobs.define<{ projectId: number }>({
    kind: removeJob,
    queue: 'removal',
    run: ({ projectId }) => removeNow(projectId),
  })

  return {
    /** Removes a project that nobody sees any more, rows and all; may be called again, and for one that is gone. */
    removeNow,

    /** From here on nobody sees the project any more; the job does the rest. */
    async removeSoon(tx: Tx, id: number): Promise<void> {
      await updateProject(tx, id, { pending_delete: true, updated_at: now(clock) })
      await enqueue(tx, id)
    },

    /** Stores the job anew for projects whose removal was given up. */
    async resume(): Promise<void> {
      const ids = await leavingProjects(database.read, leavingAtOnce)
      if (ids.length === 0) return
      await database.write(async (tx) => {
        for (const id of ids) await enqueue(tx, id)
      })
    },

    /** Removes the projects in a user's own namespace, with their repositories; may be called again. */
    async removeProjectsOf(userId: number): Promise<void> {
      const namespace = await namespaceOfUser(database.read, userId)
      if (!namespace) return
      const ids = await database.write((tx) => hideProjectsOf(tx, namespace.id))
      for (const id of ids) await removeNow(id)
    },
  }
}
