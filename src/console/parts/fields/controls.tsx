import type { Reference } from '../../forms/references.ts'
import type { Schema } from '../../forms/schema.ts'
import { wordOf } from '../words.ts'

/** What is known of a field when it is shown. */
export type Shown = {
  id: string
  name: string
  schema: Schema
  label: string
  required: boolean
  /** Whether the form changes something that is there. */
  changes: boolean
  value: unknown
  /** Whether it is a member of an object or of an entry of a list. */
  isPart?: boolean | undefined
  /** What the value names: people write its name. */
  reference?: Reference | null | undefined
  /** Whether its value is never shown, whatever its name. */
  isSecret?: boolean | undefined
  /** Whether it is a public key or a certificate, which has lines. */
  isKey?: boolean | undefined
  hint?: string | undefined
  problem?: string | undefined
  rows?: number | undefined
  words?: Readonly<Record<string, string>> | undefined
  choices?: readonly (readonly [value: string | number, label: string])[] | undefined
}

/** The text of a value in a control; a list of texts has one in each line. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.join('\n') : String(value)
}

const longNames = /(^|_)(description|value|message|body|content|note|text|template|terms|certificate|regexes)$/
const secretNames = /(^|_)(password|secret)$|token$/

/** Whether the value is never shown: it is left empty, and stays. */
export const isSecret = ({ kind }: Schema, name: string) => kind === 'text' && secretNames.test(name)

function isLong({ name, schema: { kind, maxLength = Number.POSITIVE_INFINITY }, rows, isKey }: Shown): boolean {
  if (kind === 'list' || rows !== undefined || isKey) return true
  return kind === 'text' && longNames.test(name) && maxLength > 255
}

/** The type of an input. */
function typeOf({ name, schema, reference, isSecret: isHidden }: Shown, text: string): string {
  if (isHidden) return 'password'
  if (reference) return 'text'
  if (schema.kind === 'day' || (schema.kind === 'text' && /_date$/.test(name))) return 'date'
  if (schema.kind === 'moment') return 'datetime-local'
  if (schema.kind === 'file') return 'file'
  if (schema.kind === 'number') return 'number'
  if (/(^|_)color$/.test(name) && /^(#[\da-f]{6})?$/i.test(text)) return 'color'
  return isSecret(schema, name) ? 'password' : 'text'
}

/** The attributes that name a control and what is said of it. */
export function attributesOf({ id, name, required, hint, problem }: Shown) {
  return {
    id,
    name,
    required,
    'aria-describedby': hint || problem ? `${id}-about` : undefined,
    'aria-invalid': problem ? 'true' : undefined,
  }
}

function Choice({ shown, text }: { shown: Shown; text: string }) {
  const { name, schema, words, choices, required, changes, isPart } = shown
  const labelled =
    choices ?? (schema.values ?? []).map((value) => [value, words?.[String(value)] ?? wordOf(name, value)])
  const nothing = isPart ? '–' : changes ? 'Unchanged' : required ? 'Choose' : 'Default'
  const isKnown = labelled.some(([value]) => String(value) === text)
  return (
    <select {...attributesOf(shown)}>
      {(!required || !isKnown) && <option value="">{nothing}</option>}
      {text !== '' && !isKnown && (
        <option value={text} selected>
          {text}
        </option>
      )}
      {labelled.map(([value, label]) => (
        <option value={String(value)} selected={String(value) === text}>
          {label}
        </option>
      ))}
    </select>
  )
}

const shownText: Readonly<Record<string, (text: string) => string | undefined>> = {
  file: () => undefined,
  password: () => undefined,
  'datetime-local': (text) => text.slice(0, 16),
  color: (text) => text || '#6699cc',
}

/** The control of one value. */
export function Control(shown: Shown) {
  const { name, schema, choices, rows, reference } = shown
  const text = textOf(shown.value)
  if (choices || schema.values) return <Choice shown={shown} text={text} />
  const shared = attributesOf(shown)
  if (isLong(shown)) {
    return (
      <textarea
        {...shared}
        rows={rows ?? 3}
        maxlength={schema.maxLength}
        spellcheck={shown.isKey ? 'false' : undefined}
      >
        {/* The first line break of a text area is not part of its text. */}
        {text.startsWith('\n') ? `\n${text}` : text}
      </textarea>
    )
  }
  const type = typeOf(shown, text)
  return (
    <input
      {...shared}
      type={type}
      value={(shownText[type] ?? String)(text)}
      maxlength={type === 'text' ? schema.maxLength : undefined}
      min={reference ? undefined : schema.minimum}
      max={reference ? undefined : schema.maximum}
      data-completes={reference ?? undefined}
      autocomplete={
        type === 'password' ? (name === 'current_password' ? 'current-password' : 'new-password') : undefined
      }
    />
  )
}
