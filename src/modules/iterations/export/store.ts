import type { Selectable } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { CadenceRow, IterationsTable } from '../tables.ts'

const rowsAtOnce = 100

/** Cadences of a group after an id, in the order of the ids. */
export function cadencesAfter(db: Reader, groupId: number, afterId: number): Promise<CadenceRow[]> {
  const query = db.selectFrom('iteration_cadences').selectAll().where('namespace_id', '=', groupId)
  return query.where('id', '>', afterId).orderBy('id').limit(rowsAtOnce).execute()
}

/** The iterations of these cadences, by cadence, in the order of their dates. */
export async function iterationsOfCadences(
  db: Reader,
  cadenceIds: readonly number[],
): Promise<ReadonlyMap<number, Selectable<IterationsTable>[]>> {
  const query = db
    .selectFrom('iterations')
    .selectAll()
    .where(within(db, 'cadence_id', cadenceIds))
  const rows = await query.orderBy('cadence_id').orderBy('start_date').orderBy('id').execute()
  return Map.groupBy(rows, ({ cadence_id }) => cadence_id)
}
