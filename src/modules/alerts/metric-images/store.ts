import type { Updateable } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { MetricImageRow, MetricImagesTable, NewMetricImageRow } from '../tables.ts'

/** The images of an alert, the oldest first. */
export async function imagesOfAlert(db: Reader, alertId: number): Promise<MetricImageRow[]> {
  const query = db.selectFrom('alert_metric_images').selectAll().where('alert_id', '=', alertId)
  return query.orderBy('created_at').orderBy('id').execute()
}

export async function imageById(db: Reader, id: number): Promise<MetricImageRow | null> {
  return (await db.selectFrom('alert_metric_images').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function insertImage(tx: Tx, image: NewMetricImageRow): Promise<MetricImageRow> {
  return tx.insertInto('alert_metric_images').values(image).returningAll().executeTakeFirstOrThrow()
}

/** Changes an image. @returns null when it was deleted meanwhile */
export async function updateImage(tx: Tx, id: number, changes: Updateable<MetricImagesTable>) {
  const query = tx.updateTable('alert_metric_images').set(changes).where('id', '=', id)
  return (await query.returningAll().executeTakeFirst()) ?? null
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
