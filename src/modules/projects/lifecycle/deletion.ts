import { type Actor, dayAfter, dayOf, failure } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../../infra/database/index.ts'
import type { Jobs } from '../../../infra/jobs/index.ts'
import { ancestorsOf, deletionSuffix, inheritedMark } from '../../namespaces/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Project } from '../core/access.ts'
import { clashes } from '../core/naming.ts'
import { holdProject } from '../core/store.ts'
import type { PresentedProject, ProjectPresenter } from '../present/present.ts'
import type { ProjectRow } from '../tables.ts'
import { type HeldProject, heldInTree, relocate, untilFree } from './relocation.ts'
import type { ProjectRemoval } from './removal.ts'
import { projectsMarkedUntil } from './store.ts'

export type LifecycleNeeds = {
  database: Database
  clock: Clock
  jobs: Jobs
  settings: Pick<Settings, 'current'>
  presenter: Pick<ProjectPresenter, 'presentProject'>
  removal: Pick<ProjectRemoval, 'removeSoon' | 'resume'>
}

export type DeletionParams = { permanently_remove?: boolean; full_path?: string }

/** What becomes of a project that is to go (contract 21 R6): marked, restored, removed when its days are over. */
export type ProjectLifecycle = ReturnType<typeof createProjectLifecycle>

const removeDueJob = 'projects.remove_due'
const hourSeconds = 3600
/** Projects taken up by one run for the due ones; the rest waits for the next. */
const dueAtOnce = 1000

export function createProjectLifecycle(needs: LifecycleNeeds) {
  const { database, clock, jobs, settings, presenter, removal } = needs

  /** Puts a suffix behind path and name, so that both are free again. */
  async function mark(tx: Tx, { row, namespace }: HeldProject): Promise<void> {
    const suffix = await freeSuffix(tx, { row, namespace })
    const place = { namespace, name: `${row.name}${suffix}`, path: `${row.path}${suffix}` }
    const marks = { original_path: row.path, marked_for_deletion_on: dayOf(clock.now()), updated_at: now(clock) }
    await relocate(tx, row, place, marks)
  }

  /** Gives a project the name and the path of before, where they are free. */
  async function unmark(tx: Tx, { row, namespace }: HeldProject): Promise<ProjectRow> {
    const name = row.name.replace(new RegExp(`${deletionSuffix(row.id)}(?:-\\d+)?$`), '')
    const path = row.original_path ?? row.path
    const taken = await clashes(tx, { namespace, name, path, exceptId: row.id })
    const place = { namespace, name: taken.name ? row.name : name, path: taken.path ? row.path : path }
    const marked = await inheritedMark(tx, namespace.id)
    return relocate(tx, row, place, {
      original_path: null,
      marked_for_deletion_on: marked,
      updated_at: now(clock),
    })
  }

  jobs.define<null>({
    kind: removeDueJob,
    async run() {
      const { deletion_adjourned_period: days } = await settings.current()
      const day = dayAfter(clock.now(), -days)
      for (const id of await projectsMarkedUntil(database.read, day, dueAtOnce)) {
        await database.write(async (tx) => {
          const row = await holdProject(tx, id)
          // It may have been restored, or restored and marked again, since it was listed.
          const isDue = row?.original_path != null && (row.marked_for_deletion_on ?? '') <= day
          if (isDue && !row.pending_delete) await removal.removeSoon(tx, id)
        })
      }
      await removal.resume()
    },
  })
  jobs.every(removeDueJob, hourSeconds, removeDueJob)

  return {
    /**
     * Marks a project, or removes one that is marked (x.projects_delete).
     * @param requireUnmodified throws when the project is newer than the caller allows
     * @throws ApiError 400
     */
    async remove(
      project: Project,
      params: DeletionParams,
      requireUnmodified: (updatedAt: string) => void,
    ): Promise<void> {
      const { deletion_adjourned_period: days } = await settings.current()
      await untilFree(() =>
        database.write(async (tx) => {
          const held = await heldInTree(tx, project)
          requireUnmodified(held.row.updated_at)
          const isMarked = held.row.marked_for_deletion_on !== null
          if (params.permanently_remove) {
            if (!isMarked) throw failure(400, 'Project must be marked for deletion first.')
            await requireFullPath(tx, held, params.full_path)
            return removal.removeSoon(tx, held.row.id)
          }
          if (isMarked) throw failure(400, 'Project has been already marked for deletion')
          await mark(tx, held)
          if (days === 0) await removal.removeSoon(tx, held.row.id)
        }),
      )
    },

    /** Undoes the marking of a project (x.projects_restore). @throws ApiError 400 when it was not marked itself */
    async restore(project: Project, actor: Actor): Promise<PresentedProject> {
      const row = await untilFree(() =>
        database.write(async (tx) => {
          const held = await heldInTree(tx, project)
          if (held.row.original_path === null) throw failure(400, 'Project has not been marked for deletion')
          return unmark(tx, held)
        }),
      )
      return presenter.presentProject({ ...row, role: project.role }, actor)
    },
  }
}

/** The suffix of a marked project; with a number where somebody has given another one just that name. */
async function freeSuffix(tx: Tx, { row, namespace }: HeldProject): Promise<string> {
  const plain = deletionSuffix(row.id)
  for (let number = 0; ; number += 1) {
    const suffix = number === 0 ? plain : `${plain}-${number}`
    const wanted = { namespace, name: `${row.name}${suffix}`, path: `${row.path}${suffix}`, exceptId: row.id }
    if (Object.keys(await clashes(tx, wanted)).length === 0) return suffix
  }
}

/**
 * Whoever removes something for good names it by its whole path: the current one, or the one of before it was marked.
 * @throws ApiError 400
 */
async function requireFullPath(tx: Tx, { row, namespace }: HeldProject, fullPath: string | undefined): Promise<void> {
  const path = row.original_path ?? row.path
  const above = await ancestorsOf(tx, namespace.id)
  const original = above.reverse().map((group) => group.original_path ?? group.path)
  const names = [row.full_path, `${namespace.full_path}/${path}`, [...original, path].join('/')]
  if (fullPath === undefined || !names.includes(fullPath)) {
    throw failure(400, '`full_path` is incorrect. You must enter the complete path for the project.')
  }
}
