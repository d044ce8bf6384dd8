import type { Reader, Tx } from '../../../infra/database/index.ts'

/** Projects that were marked themselves on this day or before, and are still there. */
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

/** Projects that nobody sees any more and whose rows are still there. */
export async function leavingProjects(db: Reader, limit: number): Promise<number[]> {
  const query = db.selectFrom('projects').select('id').where('pending_delete', '=', true)
  return (await query.orderBy('id').limit(limit).execute()).map(({ id }) => id)
}

/** Takes the projects of a namespace out of everybody's sight; returns their ids. */
export async function hideProjectsOf(tx: Tx, namespaceId: number): Promise<number[]> {
  const query = tx.updateTable('projects').set({ pending_delete: true }).where('namespace_id', '=', namespaceId)
  return (await query.returning('id').execute()).map(({ id }) => id)
}

/** The bots that act for a project. */
export async function botsOfProject(db: Reader, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.id')
    .where('members.project_id', '=', projectId)
    .where('users.bot_kind', '=', 'project_bot')
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteProject(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('projects').where('id', '=', id).execute()
}
