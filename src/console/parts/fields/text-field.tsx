import type { Operation } from '../../../api/index.ts'
import type { Visit } from '../../page.ts'

type TextFieldProps = {
  visit: Visit
  operation: Operation
  name: string
  label: string
  value?: string
  rows?: number
  required?: boolean
}

/** A field for a whole file or document, in the letters of code. */
export function TextField({ visit, operation, name, label, value = '', rows = 24, required = false }: TextFieldProps) {
  const refused = visit.refused?.operation === operation.id ? visit.refused : null
  const id = `field-${operation.id.replaceAll('.', '-')}-${name}`
  const given = refused?.values[name]
  return (
    <div class="field whole">
      <label for={id}>{label}</label>
      <textarea id={id} class="text" name={name} rows={rows} spellcheck="false" required={required}>
        {/* The first line break of a text area is not a part of its text. */}
        {'\n'}
        {typeof given === 'string' ? given : value}
      </textarea>
    </div>
  )
}
