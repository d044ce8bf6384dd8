import { type Reader, rows, within } from '../../../infra/database/index.ts'
import type { ImageKind } from '../../metric-images/index.ts'
import { alertMetricImages, type MetricImageRow } from '../tables.ts'

/** The images of alerts. */
export const alertImages: ImageKind<MetricImageRow> = {
  ...rows(alertMetricImages),
  folder: 'alert-metric-images',
  async knownSecrets(db, secrets) {
    const query = db.selectFrom('alert_metric_images').select(['project_id', 'secret'])
    return query.where(within(db, 'secret', secrets)).execute()
  },
}

/** The images of an alert, the oldest first. */
export async function imagesOfAlert(db: Reader, alertId: number): Promise<MetricImageRow[]> {
  const query = db.selectFrom('alert_metric_images').selectAll().where('alert_id', '=', alertId)
  return query.orderBy('created_at').orderBy('id').execute()
}
