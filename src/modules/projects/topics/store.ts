import { sql } from 'kysely'
import type { Tx } from '../../../infra/database/index.ts'

/** Removes all topics of a project. @returns their ids */
export async function deleteTopicsOf(tx: Tx, projectId: number): Promise<number[]> {
  const query = tx.deleteFrom('project_topics').where('project_id', '=', projectId)
  return (await query.returning('topic_id').execute()).map((row) => row.topic_id)
}

/** Gives a project without topics these ones, in this order. */
export async function insertTopicsOf(tx: Tx, projectId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = ids.map((topicId, position) => ({ project_id: projectId, topic_id: topicId, position }))
  await tx.insertInto('project_topics').values(rows).execute()
}

/** Gives the projects of a topic another one in its place, unless they have that already. @returns how many got it */
export async function moveAssignments(tx: Tx, sourceId: number, targetId: number): Promise<number> {
  const hasTarget = sql<boolean>`exists (select 1 from project_topics had
    where had.project_id = project_topics.project_id and had.topic_id = ${targetId})`
  const { numUpdatedRows } = await tx
    .updateTable('project_topics')
    .set({ topic_id: targetId })
    .where('topic_id', '=', sourceId)
    .where(({ not }) => not(hasTarget))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
