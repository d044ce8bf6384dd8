import type { Selectable } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { IterationsTable } from '../tables.ts'

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
