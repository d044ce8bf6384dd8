import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { alertMetricImages, type MetricImageRow } from '../tables.ts'

export const { byId: imageById, insert: insertImage, update: updateImage } = rows(alertMetricImages)

/** The images of an alert, the oldest first. */
export async function imagesOfAlert(db: Reader, alertId: number): Promise<MetricImageRow[]> {
  const query = db.selectFrom('alert_metric_images').selectAll().where('alert_id', '=', alertId)
  return query.orderBy('created_at').orderBy('id').execute()
}

/** @returns whether the image was there */
export async function deleteImage(tx: Tx, id: number): Promise<boolean> {
  const query = tx.deleteFrom('alert_metric_images').where('id', '=', id).returning('id')
  return (await query.executeTakeFirst()) !== undefined
}

/** Those of these secrets that images have, with the project of each. */
export async function knownSecrets(db: Reader, secrets: readonly string[]) {
  const query = db.selectFrom('alert_metric_images').select(['project_id', 'secret'])
  return query.where(within(db, 'secret', secrets)).execute()
}

/** Images after an id, for checks of all. */
export async function imagesAfter(db: Reader, id: number, limit: number): Promise<MetricImageRow[]> {
  return db.selectFrom('alert_metric_images').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}
