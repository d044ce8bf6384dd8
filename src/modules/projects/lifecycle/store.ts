import type { Reader, Tx } from '../../../infra/database/index.ts'

/** Projects that were marked themselves, on this day or before, and are not being removed. */
export async function projectsMarkedUntil(db: Reader, day: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('original_path', 'is not', null)
    .where('marked_for_deletion_on', '<=', day)
    .where('pending_delete', '=', false)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

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

export async function deleteProject(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('projects').where('id', '=', id).execute()
}
