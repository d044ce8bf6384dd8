import type { Reader, Tx } from '../../infra/database/index.ts'
import './tables.ts'

/** Adds one to the fetches of a project on a day. */
export async function addFetch(tx: Tx, projectId: number, day: string): Promise<void> {
  await tx
    .insertInto('project_fetches')
    .values({ project_id: projectId, day, number: 1 })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'day']).doUpdateSet((row) => ({
        number: row('project_fetches.number', '+', 1),
      })),
    )
    .execute()
}

export type DayOfFetches = { day: string; number: number }

/** The fetches of a project from a day on, by day, the newest first. */
export async function fetchesSince(db: Reader, projectId: number, day: string): Promise<DayOfFetches[]> {
  const query = db.selectFrom('project_fetches').select(['day', 'number']).where('project_id', '=', projectId)
  return query.where('day', '>=', day).orderBy('day', 'desc').execute()
}

/** Deletes what was counted before a day. */
export async function deleteFetches(tx: Tx, before: string): Promise<void> {
  await tx.deleteFrom('project_fetches').where('day', '<', before).execute()
}
