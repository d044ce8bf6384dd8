import type { Operation } from '../../../api/index.ts'
import { isObject } from '../../forms/schema.ts'
import type { Visit } from '../../page.ts'

type RowsProps = { visit: Visit; operation: Operation; name: string; hasTypes?: boolean }

const rowCount = 4

/** What was written into the rows of a form that was refused. */
function writtenRows({ refused }: Visit, { id }: Operation, name: string): Record<string, unknown>[] {
  const given = refused?.operation === id ? refused.values[name] : undefined
  const rows = Array.isArray(given) ? given : isObject(given) ? Object.values(given) : []
  return rows.filter(isObject)
}

/** Rows of key and value for variables. Rows without a key are not sent; the script adds more. */
export function VariableRows({ visit, operation, name, hasTypes }: RowsProps) {
  const written = writtenRows(visit, operation, name)
  const rows = [...written, ...Array.from({ length: Math.max(1, rowCount - written.length) }, () => ({}))]
  return (
    <fieldset class="field group variables" data-rows={name}>
      <legend>
        Variables <span class="optional">optional</span>
      </legend>
      {rows.map(({ key = '', value = '', variable_type: type }: Record<string, unknown>, index) => (
        <div class="variable">
          <input
            name={`${name}[${index}][key]`}
            value={String(key)}
            placeholder="Key"
            aria-label={`Key ${index + 1}`}
            spellcheck="false"
            autocomplete="off"
          />
          <textarea name={`${name}[${index}][value]`} rows={1} placeholder="Value" aria-label={`Value ${index + 1}`}>
            {'\n'}
            {String(value)}
          </textarea>
          {hasTypes && (
            <select name={`${name}[${index}][variable_type]`} aria-label={`Kind ${index + 1}`}>
              <option value="">Variable</option>
              <option value="file" selected={type === 'file'}>
                File
              </option>
            </select>
          )}
        </div>
      ))}
    </fieldset>
  )
}
