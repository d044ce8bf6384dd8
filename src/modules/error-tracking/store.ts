import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, rows, type Tx } from '../../infra/database/index.ts'
import { type ErrorTrackingKeyRow, type ErrorTrackingSettingRow, errorTrackingKeys } from './tables.ts'

export const { byId: keyById, insert: insertKey, remove: deleteKey } = rows(errorTrackingKeys)

/** A page of the keys of a project, by id. */
export function pageOfKeys(db: Reader, projectId: number, page: PageRequest): Promise<Page<ErrorTrackingKeyRow>> {
  const query = db.selectFrom('error_tracking_keys').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, query.orderBy('id'), page)
}

/** The settings of a project; null when none were stored. */
export async function settingOfProject(db: Reader, projectId: number): Promise<ErrorTrackingSettingRow | null> {
  const query = db.selectFrom('error_tracking_settings').selectAll().where('project_id', '=', projectId)
  return (await query.executeTakeFirst()) ?? null
}

/** Stores the settings of a project, in place of those that there are. */
export async function storeSetting(tx: Tx, row: ErrorTrackingSettingRow): Promise<void> {
  const { active, integrated } = row
  await tx
    .insertInto('error_tracking_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ active, integrated }))
    .execute()
}

/** Changes the settings of a project. @returns null when there are none */
export async function changeSetting(
  tx: Tx,
  projectId: number,
  changes: Partial<Omit<ErrorTrackingSettingRow, 'project_id'>>,
): Promise<ErrorTrackingSettingRow | null> {
  const query = tx.updateTable('error_tracking_settings').set(changes).where('project_id', '=', projectId)
  return (await query.returningAll().executeTakeFirst()) ?? null
}
