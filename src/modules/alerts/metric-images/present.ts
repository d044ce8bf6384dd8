import { forms, type Static, Type } from '../../../api/index.ts'
import type { MetricImageRow } from '../tables.ts'

/** An image of an alert (contract 07, MetricImage). */
export const MetricImage = Type.Object(
  {
    id: forms.id,
    created_at: forms.timestamp,
    filename: Type.String(),
    file_path: Type.String({ description: 'Address of the image, below that of the server.' }),
    url: forms.nullableString,
    url_text: forms.nullableString,
  },
  { title: 'AlertMetricImage' },
)

export function presentImage({ id, created_at, filename, url, url_text }: MetricImageRow): Static<typeof MetricImage> {
  const file_path = `/uploads/-/system/alert_metric_image/file/${id}/${filename}`
  return { id, created_at, filename, file_path, url, url_text }
}
