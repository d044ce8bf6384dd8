import { type Actor, dayAfter, failure, type Unmodified } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Act, Job, Platform } from '../../../platform/index.ts'
import {
  ancestorsOf,
  freeDeletionSuffix,
  inheritedMark,
  markedUntil,
  withoutDeletionSuffix,
} from '../../namespaces/index.ts'
import { type Project, today } from '../core/access.ts'
import { clashes } from '../core/naming.ts'
import { holdProject } from '../core/store.ts'
import { type PresentedProject, presentProject } from '../present/present.ts'
import type { ProjectRow } from '../tables.ts'
import { type HeldProject, heldInTree, relocate, untilFree } from './relocation.ts'
import { removeProjectLater, resumeRemovals } from './removal.ts'

type DeletionParams = { permanently_remove?: boolean; full_path?: string }

const hourSeconds = 3600
/** Projects that one run removes; the rest waits for the next one. */
const dueAtOnce = 1000

/** Marks a project and appends a suffix to path and name, so that both are free again. */
async function mark(platform: Platform, tx: Tx, { row, namespace }: HeldProject): Promise<void> {
  const targetOf = (suffix: string) => ({ namespace, name: `${row.name}${suffix}`, path: `${row.path}${suffix}` })
  const suffix = await freeDeletionSuffix(row.id, async (suffix) => {
    return Object.keys(await clashes(tx, { ...targetOf(suffix), exceptId: row.id })).length === 0
  })
  const marked = { marked_for_deletion_on: today(platform), updated_at: now(platform.clock) }
  await relocate(platform, tx, row, targetOf(suffix), { original_path: row.path, ...marked })
}

/** Gives a project its former name and path back, as far as they are free. */
async function unmark(platform: Platform, tx: Tx, { row, namespace }: HeldProject): Promise<ProjectRow> {
  const name = withoutDeletionSuffix(row.name, row.id)
  const path = row.original_path ?? row.path
  const taken = await clashes(tx, { namespace, name, path, exceptId: row.id })
  const target = { namespace, name: taken.name ? row.name : name, path: taken.path ? row.path : path }
  return relocate(platform, tx, row, target, {
    original_path: null,
    marked_for_deletion_on: await inheritedMark(tx, namespace.id),
    updated_at: now(platform.clock),
  })
}

/**
 * A permanent removal names the project by its full path: the current one, or the one before it was marked.
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

/**
 * Marks a project for deletion, or removes a marked one (contract 21 R6, x.projects_delete).
 * @throws ApiError 400, 412
 */
export async function deleteOrMark(
  platform: Platform,
  project: Project,
  params: DeletionParams,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  const { database, settings } = platform
  const { deletion_adjourned_period: days } = await settings.current()
  await untilFree(() =>
    database.write(async (tx) => {
      const held = await heldInTree(tx, project)
      unmodified(held.row.updated_at)
      const isMarked = held.row.marked_for_deletion_on !== null
      if (params.permanently_remove) {
        if (!isMarked) throw failure(400, 'Project must be marked for deletion first.')
        await requireFullPath(tx, held, params.full_path)
        await act(tx)
        return removeProjectLater(platform, tx, held.row.id)
      }
      if (isMarked) throw failure(400, 'Project has been already marked for deletion')
      await act(tx)
      await mark(platform, tx, held)
      if (days === 0) await removeProjectLater(platform, tx, held.row.id)
    }),
  )
}

/** Undoes the marking of a project (contract 21, x.projects_restore). @throws ApiError 400 when it was not marked itself */
export async function restoreProject(platform: Platform, project: Project, actor: Actor): Promise<PresentedProject> {
  const row = await untilFree(() =>
    platform.database.write(async (tx) => {
      const held = await heldInTree(tx, project)
      if (held.row.original_path === null) throw failure(400, 'Project has not been marked for deletion')
      return unmark(platform, tx, held)
    }),
  )
  return presentProject(platform, { ...row, role: project.role }, actor)
}

/** Removes the projects whose days after the marking are over: on the hour, so that it follows midnight at once. */
export const removeDueJob: Job<null> = {
  kind: 'projects.remove_due',
  every: { seconds: hourSeconds, offsetSeconds: 0 },
  async run(platform) {
    const { database, settings, clock } = platform
    const { deletion_adjourned_period: days } = await settings.current()
    const day = dayAfter(clock.now(), -days)
    for (const id of await markedUntil(database.read, 'projects', day, dueAtOnce)) {
      await database.write(async (tx) => {
        const row = await holdProject(tx, id)
        // It may have been restored, or restored and marked again, after the list was read.
        const isDue = row?.original_path != null && (row.marked_for_deletion_on ?? '') <= day
        if (isDue && !row.pending_delete) await removeProjectLater(platform, tx, id)
      })
    }
    await resumeRemovals(platform)
  },
}
