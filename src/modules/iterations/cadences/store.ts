import type { Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type CadenceRow, type IterationCadencesTable, iterationCadences } from '../tables.ts'

export const { insert: insertCadence, remove: deleteCadence } = rows(iterationCadences)

/** A page of the cadences of a group, by id. */
export async function pageOfCadences(db: Reader, groupId: number, page: PageRequest): Promise<Page<CadenceRow>> {
  const query = db.selectFrom('iteration_cadences').selectAll().where('namespace_id', '=', groupId)
  return pageOfRows(db, query.orderBy('id'), page)
}

/** A cadence of a group. */
export async function cadenceById(db: Reader, groupId: number, id: number): Promise<CadenceRow | null> {
  const query = db.selectFrom('iteration_cadences').selectAll().where('id', '=', id)
  return (await query.where('namespace_id', '=', groupId).executeTakeFirst()) ?? null
}

export async function oldestManualCadence(db: Reader, groupId: number): Promise<CadenceRow | null> {
  const query = db.selectFrom('iteration_cadences').selectAll().where('namespace_id', '=', groupId)
  return (await query.where('automatic', '=', false).orderBy('id').limit(1).executeTakeFirst()) ?? null
}

export async function updateCadence(
  tx: Tx,
  id: number,
  changes: Updateable<IterationCadencesTable>,
): Promise<CadenceRow> {
  const query = tx.updateTable('iteration_cadences').set(changes).where('id', '=', id)
  return query.returningAll().executeTakeFirstOrThrow()
}

/** The ids of the iterations of a cadence. */
export async function iterationIdsOf(db: Reader, cadenceId: number): Promise<number[]> {
  const query = db.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId)
  return (await query.orderBy('id').execute()).map(({ id }) => id)
}
