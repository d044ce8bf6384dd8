import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { clashes } from '../core/naming.ts'
import { holdProject, updateProject } from '../core/store.ts'
import { heldInTree, relocate } from '../lifecycle/relocation.ts'
import { removeProjectLater } from '../lifecycle/removal.ts'

/** A project that takes the place of another one when it is imported. */
export type Replacement = { projectId: number; name: string; path: string }

/** Puts an imported project in the place of another one, which is deleted. Where that was moved meanwhile, nothing is replaced. */
async function replace(platform: Platform, tx: Tx, projectId: number, former: Replacement): Promise<void> {
  const imported = await holdProject(tx, projectId)
  if (!imported) return
  const { row, namespace } = await heldInTree(tx, imported)
  const old = await holdProject(tx, former.projectId)
  if (old && !old.pending_delete && old.namespace_id === namespace.id && old.path === former.path) {
    const aside = { namespace, name: `${old.name}-replaced-${old.id}`, path: `${old.path}-replaced-${old.id}` }
    await relocate(platform, tx, old, aside, {})
    await removeProjectLater(platform, tx, old.id)
  }
  const { name, path } = former
  if (Object.keys(await clashes(tx, { namespace, name, path, exceptId: projectId })).length > 0) return
  await relocate(platform, tx, row, { namespace, name, path }, {})
}

/**
 * Makes a project that was imported one like any other (contract 25, States).
 * @param former the project that it replaces; null for none
 * @returns false when it was deleted meanwhile
 */
export async function finishImport(
  platform: Platform,
  tx: Tx,
  { projectId, userId, former }: { projectId: number; userId: number; former: Replacement | null },
): Promise<boolean> {
  const row = await holdProject(tx, projectId)
  if (!row || row.pending_delete) return false
  if (former) await replace(platform, tx, projectId, former)
  const moment = now(platform.clock)
  const finished = { import_status: 'finished', import_error: null, is_unfinished: false } as const
  await updateProject(tx, projectId, { ...finished, last_activity_at: moment, updated_at: moment })
  await react(platform, tx, 'project.imported', { projectId, userId })
  return true
}

/** Marks the import of a project as begun, or as failed. @param error why, as users see it */
export async function setImportState(
  { clock }: Platform,
  tx: Tx,
  projectId: number,
  state: 'started' | 'failed',
  error: string | null = null,
): Promise<void> {
  await updateProject(tx, projectId, { import_status: state, import_error: error, updated_at: now(clock) })
}
