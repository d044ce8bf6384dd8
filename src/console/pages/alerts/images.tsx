import type { AnswerOf } from '../../../api/index.ts'
import {
  alertMetricImagesCreate,
  alertMetricImagesDelete,
  type alertMetricImagesList,
  alertMetricImagesServe,
} from '../../operations.ts'
import { numberIn, page, type Visit } from '../../page.ts'
import { Do, Field, Form } from '../../parts/form.tsx'
import { at } from './places.ts'

type Images = AnswerOf<typeof alertMetricImagesList>

type ImagesProps = { visit: Visit; images: Images; call: { id: number; alert_iid: number }; mayChange: boolean }

/** Pictures of the metric, with where it can be seen. */
export function MetricImages({ visit, images, call, mayChange }: ImagesProps) {
  const form = { visit, operation: alertMetricImagesCreate }
  if (images.length === 0 && !mayChange) return <></>
  return (
    <section>
      <h2>Metric images</h2>
      {images.map(({ id, filename, url, url_text: text }) => (
        <figure class="picture panel">
          <img
            src={at(visit, `/${numberIn(visit, 'alert')}/images/${id}/${encodeURIComponent(filename)}`)}
            alt={filename}
          />
          <figcaption>
            {url ? (
              <a href={url} rel="noreferrer noopener">
                {text || url}
              </a>
            ) : (
              (text ?? filename)
            )}{' '}
            {mayChange && (
              <Do visit={visit} performs={alertMetricImagesDelete} call={{ ...call, image_id: id }} kind="quiet">
                Remove<span class="hidden"> {filename}</span>
              </Do>
            )}
          </figcaption>
        </figure>
      ))}
      {mayChange && (
        <details class="more" open={visit.refused?.operation === alertMetricImagesCreate.id}>
          <summary>Add an image</summary>
          <Form visit={visit} performs={alertMetricImagesCreate} call={call} class="stack" uploads>
            <Field {...form} name="file" />
            <Field {...form} name="url" options={{ label: 'Link' }} />
            <Field {...form} name="url_text" options={{ label: 'Text of the link' }} />
            <button>Add the image</button>
          </Form>
        </details>
      )}
    </section>
  )
}

/** The file of a metric image. The address of the API takes no session. */
export const metricImage = page({
  at: 'project',
  path: 'alert_management/:alert/images/:image/:filename',
  async show(visit) {
    const { image = '', filename = '' } = visit.params
    return { file: await visit.read(alertMetricImagesServe, { image_id: image, filename }) }
  },
})
