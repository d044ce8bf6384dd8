import type { Selectable } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { Portable } from '../../../platform/index.ts'
import { belongsTo } from '../../projects/index.ts'
import type { LabelPrioritiesTable, LabelRow } from '../tables.ts'

const rowsAtOnce = 500

/** Labels of a project or group after an id, in the order of the ids. */
export function labelsAfter(db: Reader, portable: Portable, afterId: number): Promise<LabelRow[]> {
  const query = db.selectFrom('labels').selectAll().where(belongsTo('labels', portable))
  return query.where('id', '>', afterId).orderBy('id').limit(rowsAtOnce).execute()
}

export type PriorityRow = Selectable<LabelPrioritiesTable>

/** The priorities of these labels, by label. @param projectId only in this project */
export async function prioritiesByLabel(
  db: Reader,
  labelIds: readonly number[],
  projectId?: number,
): Promise<ReadonlyMap<number, PriorityRow[]>> {
  if (labelIds.length === 0) return new Map()
  let query = db
    .selectFrom('label_priorities')
    .selectAll()
    .where(within(db, 'label_id', labelIds))
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  return Map.groupBy(await query.orderBy('project_id').execute(), ({ label_id }) => label_id)
}
