import type { Child, Html } from '../../html/index.ts'
import type { Refused } from '../../page.ts'

/** A text of a form that was sent; empty when it was not. */
export function sentText(refused: Refused | null, name: string): string {
  const value = refused?.values[name]
  return typeof value === 'string' ? value : ''
}

type InputProps = {
  name: string
  label: string
  type?: 'text' | 'password' | 'email'
  autocomplete: string
  value?: string
  hint?: string
  isFirst?: boolean
  isOptional?: boolean
}

/** A field of a form that no operation performs. */
export function Input({
  name,
  label,
  type = 'text',
  autocomplete,
  value,
  hint,
  isFirst,
  isOptional,
}: InputProps): Html {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        type={type}
        name={name}
        autocomplete={autocomplete}
        required={!isOptional}
        autofocus={isFirst}
        value={value}
        aria-describedby={hint ? `${name}-about` : undefined}
      />
      {hint && <small id={`${name}-about`}>{hint}</small>}
    </div>
  )
}

type OpenFormProps = { action: string; refused: Refused | null; button: string; children: Child }

/** A form for callers who are not signed in, with what came of it. */
export function OpenForm({ action, refused, button, children }: OpenFormProps): Html {
  const isDone = sentText(refused, 'done') !== ''
  return (
    <form class="sign-in" method="post" action={action}>
      {refused && (
        <p class={isDone ? 'lead' : 'problem'} role={isDone ? 'status' : 'alert'}>
          {refused.sentence}
        </p>
      )}
      {!isDone && children}
      {!isDone && <button class="primary">{button}</button>}
    </form>
  )
}
