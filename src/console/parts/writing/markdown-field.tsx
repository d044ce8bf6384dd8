import type { Operation } from '../../../api/index.ts'
import { baseOf } from '../../frame/addresses.ts'
import type { Html } from '../../html/index.ts'
import type { Visit } from '../../page.ts'
import { visitOfForm } from '../form.tsx'
import { levelOf, Prose } from './prose.tsx'

type MarkdownFieldProps = {
  visit: Visit
  operation: Operation
  /** The name of the form, where it has one. */
  form?: string | undefined
  /** The description without it. */
  name?: string
  label?: string
  value?: string | null | undefined
  rows?: number
  required?: boolean
  /** Where the label is for those who listen only. */
  isBare?: boolean
}

/** A field for a Markdown text, with the preview that `MarkdownTools` ask for. The script completes names and takes files. */
export function MarkdownField(props: MarkdownFieldProps): Html {
  const { operation, form, name = 'description', label = 'Description', value, rows = 8 } = props
  const { required = false, isBare = false } = props
  const { refused, ...visit } = visitOfForm(props.visit, operation, form)
  const written = refused?.values[name]
  const text = typeof written === 'string' ? written : (value ?? '')
  const id = `text-${(form ?? operation.id).replace(/[^\w-]/g, '-')}-${name}`
  const at = levelOf(visit as Visit)
  const completion = at === 'instance' ? undefined : `${baseOf(props.visit, at)}/-/completion`
  return (
    <div class="field whole written">
      <label for={id} class={isBare ? 'hidden' : undefined}>
        {label}
      </label>
      <textarea id={id} name={name} rows={rows} required={required} data-completion={completion}>
        {/* The first line break of a text area is not a part of its text. */}
        {'\n'}
        {text}
      </textarea>
      {refused?.isDraft && (
        <section class="preview" aria-label="Preview">
          <Prose visit={props.visit} text={text} />
        </section>
      )}
    </div>
  )
}

/** The buttons of a form with a `MarkdownField`, after the one that sends it: they show the form again. @param uploads whether a file can be attached */
export function MarkdownTools({ name, uploads = false }: { name: string; uploads?: boolean }): Html {
  return (
    <span class="text-tools">
      <button name="_draft" value="preview" class="quiet" formnovalidate>
        Preview
      </button>
      {uploads && (
        <span class="attach">
          <input type="hidden" name="_text" value={name} />
          <input type="file" name="_file" aria-label="File to attach" />
          <button name="_draft" value="attach" class="quiet" formnovalidate>
            Attach
          </button>
        </span>
      )}
    </span>
  )
}
