import type { Operation } from '../../api/index.ts'
import type { Visit } from '../page.ts'
import { Do, Field, Form } from './form.tsx'

type Image = { id: number; filename: string; file_path: string; url: string | null; url_text: string | null }

type ImagesProps = {
  visit: Visit
  images: readonly Image[]
  create: Operation
  remove: Operation
  /** Parameters of both operations. */
  call: Readonly<Record<string, number>>
  /** The parameter that names the image to remove. */
  named: string
  mayChange: boolean
}

/** Pictures of a metric, with where it can be seen. */
export function MetricImages({ visit, images, create, remove, call, named, mayChange }: ImagesProps) {
  const form = { visit, operation: create }
  if (images.length === 0 && !mayChange) return <></>
  return (
    <section>
      <h2>Metric images</h2>
      {images.map(({ id, filename, file_path: source, url, url_text: text }) => (
        <figure class="picture panel">
          <img src={source} alt={filename} />
          <figcaption>
            {url ? (
              <a href={url} rel="noreferrer noopener">
                {text || url}
              </a>
            ) : (
              (text ?? filename)
            )}{' '}
            {mayChange && (
              <Do visit={visit} performs={remove} call={{ ...call, [named]: id }} kind="quiet">
                Remove<span class="hidden"> {filename}</span>
              </Do>
            )}
          </figcaption>
        </figure>
      ))}
      {mayChange && (
        <details class="more" open={visit.refused?.operation === create.id}>
          <summary>Add an image</summary>
          <Form visit={visit} performs={create} call={{ ...call }} class="stack" uploads>
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
