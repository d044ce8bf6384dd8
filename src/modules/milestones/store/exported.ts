import type { Selectable } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { Portable } from '../../../platform/index.ts'
import { belongsTo } from '../../projects/index.ts'
import type { MilestonesTable } from '../tables.ts'

const rowsAtOnce = 500

/** Milestones of a project or group after an id, in the order of the ids. */
export function milestonesAfter(
  db: Reader,
  portable: Portable,
  afterId: number,
): Promise<Selectable<MilestonesTable>[]> {
  const query = db.selectFrom('milestones').selectAll().where(belongsTo('milestones', portable))
  return query.where('id', '>', afterId).orderBy('id').limit(rowsAtOnce).execute()
}
