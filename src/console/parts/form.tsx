import type { Operation } from '../../api/index.ts'
import { describeButton, type OtherButton, otherButtonField } from '../forms/other-button.ts'
import { emptyBefore } from '../forms/values.ts'
import type { Child } from '../html/index.ts'
import type { Visit } from '../page.ts'
import { Problem } from './refusal.tsx'

export { Field, type FieldOptions } from './fields/field.tsx'

/** A visit without what another form of the page was refused. A form with a name may have buttons for several operations. */
export function visitOfForm(visit: Visit, { id }: Operation, form?: string): Visit {
  const { refused } = visit
  const isOwn = refused?.form === form && (form !== undefined || refused?.operation === id)
  return isOwn ? visit : { ...visit, refused: null }
}

type FormProps = {
  visit: Visit
  performs: Operation
  /** Its name, where the page has several forms of the operation. */
  form?: string | undefined
  /** Parameters that the user does not write, those of the path among them. */
  call?: Record<string, string | number | boolean>
  /** Where the browser goes then; this page without it, and the new object's page for `:made`. `{name}` is a member of the answer or a field. */
  then?: string
  /** Shows the answer instead of going anywhere: for secrets that are shown once. */
  shows?: boolean
  /** Fields that were empty when the form was shown: left empty, they change nothing. */
  empty?: readonly string[]
  class?: string
  uploads?: boolean
  children?: Child
}

/** A form that performs an operation. The page that has it receives it, and shows it again when the operation refuses. */
export function Form({
  visit,
  performs,
  form,
  call = {},
  then,
  shows,
  empty,
  class: named,
  uploads,
  children,
}: FormProps) {
  const { refused } = visitOfForm(visit, performs, form)
  return (
    <form method="post" action={visit.path} class={named} enctype={uploads ? 'multipart/form-data' : undefined}>
      <input type="hidden" name="_operation" value={performs.id} />
      {form !== undefined && <input type="hidden" name="_form" value={form} />}
      <input type="hidden" name="_then" value={then ?? visit.path} />
      {shows && <input type="hidden" name="_shows" value="1" />}
      {empty && empty.length > 0 && <input type="hidden" name={emptyBefore} value={empty.join(',')} />}
      {Object.entries(call).map(([name, value]) => (
        <input type="hidden" name={name} value={String(value)} />
      ))}
      {refused && !refused.isDraft && <Problem>{refused.sentence}</Problem>}
      {children}
    </form>
  )
}

/** A further button of a form, which performs another operation with the same fields. A form has at most one. */
export function Other({ children, ...button }: OtherButton & { children: Child }) {
  return (
    <>
      <input type="hidden" name={otherButtonField} value={describeButton(button)} />
      <button name="_operation" value={button.performs.id}>
        {children}
      </button>
    </>
  )
}

/** A single button that performs an operation. */
export function Do({
  children,
  kind,
  ...form
}: Omit<FormProps, 'class' | 'uploads' | 'empty'> & { kind?: 'danger' | 'primary' | 'quiet' | undefined }) {
  return (
    <Form {...form} class="inline">
      <button class={kind}>{children}</button>
    </Form>
  )
}
