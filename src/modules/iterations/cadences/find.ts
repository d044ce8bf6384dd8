import { notFound } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { CadenceRow } from '../tables.ts'
import { cadenceById } from './store.ts'

/** A cadence of a group. @throws ApiError 404 */
export async function requireCadence(db: Reader, group: { id: number }, id: number): Promise<CadenceRow> {
  const row = await cadenceById(db, group.id, id)
  if (!row) throw notFound('Iteration Cadence')
  return row
}
