import type { Operation } from '../../../api/index.ts'
import type { Child, Html } from '../../html/index.ts'
import type { Visit } from '../../page.ts'
import { Form, visitOfForm } from '../../parts/form.tsx'

type EditedProps = {
  visit: Visit
  title: string
  /** What is there. */
  shown: Child
  performs: Operation
  /** Names the form; one page has several that change the same object. */
  form: string
  call: Record<string, string | number | boolean>
  /** The fields; without them nothing can be changed. */
  children?: Child
}

/** A section beside an object: what is there, and the folded form that changes it. */
export function Edited({ visit, title, shown, performs, form, call, children }: EditedProps): Html {
  return (
    <section>
      <h2>{title}</h2>
      <div class="shown">{shown}</div>
      {children && (
        <details class="side-edit" open={visitOfForm(visit, performs, form).refused !== null}>
          <summary class="quiet">
            Edit<span class="hidden"> {title.toLowerCase()}</span>
          </summary>
          <Form visit={visit} performs={performs} form={form} call={call} class="side-form">
            {children}
            <button>Save</button>
          </Form>
        </details>
      )}
    </section>
  )
}

type Choice = readonly [value: string | number, label: string]

/** One of several, or none. @param none the value that clears it */
export function Select(props: {
  name: string
  label: string
  choices: readonly Choice[]
  chosen: string | number | null | undefined
  none?: string | number
}): Html {
  const { name, label, choices, chosen, none } = props
  return (
    <select name={name} aria-label={label}>
      {none !== undefined && <option value={none}>None</option>}
      {choices.map(([value, text]) => (
        <option value={value} selected={String(value) === String(chosen ?? '')}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** Several of a list. The empty one says that the list was sent. */
export function Boxes(props: {
  name: string
  label: string
  choices: readonly (readonly [value: string | number, label: Child])[]
  chosen: readonly (string | number)[]
}): Html {
  const { name, label, choices, chosen } = props
  return (
    <fieldset class="choice-list">
      <legend class="hidden">{label}</legend>
      <input type="hidden" name={`${name}[]`} value="" />
      {choices.map(([value, text]) => (
        <label>
          <input type="checkbox" name={`${name}[]`} value={value} checked={chosen.includes(value)} /> {text}
        </label>
      ))}
    </fieldset>
  )
}

export const nothing = <span class="soft">None</span>
