import { sql } from 'kysely'
import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import type { Events, Reaction } from '../../../platform/index.ts'
import { earliestMark, inheritArchived, levelsAbove, namespaceById, subtreeOf } from '../../namespaces/index.ts'
import { projects } from '../tables.ts'

export const { remove: deleteProject } = rows(projects)

/** Projects that are hidden and still have rows. */
export async function hiddenProjects(db: Reader, limit: number): Promise<number[]> {
  const query = db.selectFrom('projects').select('id').where('pending_delete', '=', true)
  return (await query.orderBy('id').limit(limit).execute()).map(({ id }) => id)
}

/** Hides the projects of a namespace from all callers; returns their ids. */
export async function hideProjectsIn(tx: Tx, namespaceId: number): Promise<number[]> {
  const query = tx.updateTable('projects').set({ pending_delete: true }).where('namespace_id', '=', namespaceId)
  return (await query.returning('id').execute()).map(({ id }) => id)
}

/** Gives the projects of a renamed or moved namespace, and of those below it, their new full paths. */
export const renameProjectsBelow: Reaction<Events['namespace.moved']> = async (_platform, tx, { namespaceId }) => {
  await sql`update projects set full_path = (
      select n.full_path || '/' || projects.path from namespaces n where n.id = projects.namespace_id)
    where namespace_id in ${subtreeOf(namespaceId)}`.execute(tx)
}

/** Recomputes the deletion marks that projects inherit from their namespaces (contract 21 R6). */
export const markProjectsBelow: Reaction<Events['namespace.marked']> = async (_platform, tx, { namespaceId }) => {
  await sql`update projects set marked_for_deletion_on = ${earliestMark('projects.namespace_id')}
    where namespace_id in ${subtreeOf(namespaceId)} and original_path is null`.execute(tx)
}

/** Archives or unarchives the projects of a group and of those below it (contract 26.18). */
export const archiveProjectsBelow: Reaction<Events['namespace.archived']> = (_platform, tx, { namespaceId }) =>
  inheritArchived(tx, 'projects', 'projects.namespace_id', namespaceId)

/** Hides the projects of a hidden namespace and of those below it. */
export const hideProjectsBelow: Reaction<Events['namespace.hidden']> = async (_platform, tx, { namespaceId }) => {
  await sql`update projects set pending_delete = true where namespace_id in ${subtreeOf(namespaceId)}`.execute(tx)
}

/** Lowers the visibility of the projects of a moved group to at most that of its new parent (contract 21, x.groups_transfer). */
export const capProjectVisibility: Reaction<Events['group.moved']> = async (_platform, tx, { groupId }) => {
  const parentId = (await namespaceById(tx, groupId))?.parent_id
  const parent = parentId ? await namespaceById(tx, parentId) : null
  if (!parent || parent.visibility === 'public') return
  const { visibility } = parent
  const query = tx.updateTable('projects').set({ visibility }).where('namespace_id', 'in', subtreeOf(groupId))
  await query.where('visibility', 'in', levelsAbove(visibility)).execute()
}
