import type { Insertable, Updateable } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { PullMirrorRow, PullMirrorsTable } from '../tables.ts'

export async function pullMirrorOf(db: Reader, projectId: number): Promise<PullMirrorRow | null> {
  const query = db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', projectId)
  return (await query.executeTakeFirst()) ?? null
}

/** @throws UniqueViolation of `pull_mirrors_project_unique` */
export async function insertPullMirror(tx: Tx, mirror: Insertable<PullMirrorsTable>): Promise<PullMirrorRow> {
  return tx.insertInto('pull_mirrors').values(mirror).returningAll().executeTakeFirstOrThrow()
}

export async function updatePullMirror(
  tx: Tx,
  id: number,
  changes: Updateable<PullMirrorsTable>,
): Promise<PullMirrorRow | null> {
  const query = tx.updateTable('pull_mirrors').set(changes).where('id', '=', id)
  return (await query.returningAll().executeTakeFirst()) ?? null
}
