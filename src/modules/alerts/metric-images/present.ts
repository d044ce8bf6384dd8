import { computed, forms, object, of, Type } from '../../../api/index.ts'
import type { MetricImageRow } from '../tables.ts'

/** An image of an alert (contract 07, MetricImage). */
export const MetricImage = object('AlertMetricImage', of<MetricImageRow>(), {
  id: forms.id,
  created_at: forms.timestamp,
  filename: Type.String(),
  file_path: computed(
    Type.String({ description: 'Address of the image, below that of the server.' }),
    ({ id, filename }) => `/uploads/-/system/alert_metric_image/file/${id}/${filename}`,
  ),
  url: forms.nullableString,
  url_text: forms.nullableString,
})
