import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { countRows, type Reader, rows } from '../../infra/database/index.ts'
import { type FreezePeriodRow, freezePeriods } from './tables.ts'

export const {
  byId: freezePeriodById,
  insert: insertFreezePeriod,
  update: updateFreezePeriodRow,
  remove: removeFreezePeriod,
} = rows(freezePeriods)

/** A page of the freeze periods of a project, the oldest first. */
export function pageOfFreezePeriods(db: Reader, projectId: number, page: PageRequest): Promise<Page<FreezePeriodRow>> {
  const query = db.selectFrom('freeze_periods').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, query.orderBy('created_at').orderBy('id'), page)
}

/** All freeze periods of a project; there are few. */
export function freezePeriodsOf(db: Reader, projectId: number): Promise<FreezePeriodRow[]> {
  return db.selectFrom('freeze_periods').selectAll().where('project_id', '=', projectId).execute()
}

export function countFreezePeriods(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('freeze_periods').where('project_id', '=', projectId))
}
