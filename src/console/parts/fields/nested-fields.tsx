import { referenceHints, referenceOf } from '../../forms/references.ts'
import { isObject, type Json, type Schema } from '../../forms/schema.ts'
import type { Child, Html } from '../../html/index.ts'
import { Title } from '../parts.tsx'
import { wordOf, wordsOfField } from '../words.ts'
import { attributesOf, type Shown, textOf } from './controls.tsx'

/** Shows a field, which may have fields in it. */
type Nested = Shown & { field: (shown: Shown) => Html }

function About({ id, hint, problem }: Shown) {
  if (!hint && !problem) return <></>
  return (
    <small id={`${id}-about`}>
      {problem && <span class="problem">{problem}. </span>}
      {hint && <Title text={hint} />}
    </small>
  )
}

/** A box. Without it the hidden field says no: boxes that are not ticked are not sent. */
export function Check(shown: Shown) {
  const { id, name, label, value } = shown
  return (
    <div class="field check">
      <input type="hidden" name={name} value="false" />
      <input
        type="checkbox"
        {...attributesOf(shown)}
        required={false}
        value="true"
        checked={textOf(value) === 'true'}
      />
      <label for={id}>{label}</label>
      <About {...shown} />
    </div>
  )
}

function Group({ shown, children }: { shown: Shown; children: Child }) {
  return (
    <fieldset class="field group" id={shown.id}>
      <legend>
        {shown.label}
        {!shown.required && !shown.changes && <span class="optional"> optional</span>}
      </legend>
      {children}
      <About {...shown} />
    </fieldset>
  )
}

/** The values that a list can have, with what they are called. */
function valuesOf({ name, schema, words: named, choices }: Shown): readonly (readonly [value: string, label: Child])[] {
  if (!choices) {
    return (schema.item?.values ?? []).map((one) => [String(one), named?.[String(one)] ?? wordOf(name, one)])
  }
  return choices.map(([one, label]) => [
    String(one),
    <>
      <code>{String(one)}</code> {label}
    </>,
  ])
}

/** A box for each value of a list. The empty one says that the list was sent. */
export function Checks(shown: Shown) {
  const { id, name, value, choices } = shown
  const chosen = new Set([value].flat().map(String))
  return (
    <Group shown={shown}>
      <input type="hidden" name={`${name}[]`} value="" />
      <div class={choices ? 'boxes explained' : 'boxes'}>
        {valuesOf(shown).map(([one, label]) => (
          <span class="check">
            <input type="checkbox" id={`${id}-${one}`} name={`${name}[]`} value={one} checked={chosen.has(one)} />
            <label for={`${id}-${one}`}>{label}</label>
          </span>
        ))}
      </div>
    </Group>
  )
}

/** The fields of the members of an object. */
function fieldsOf({ field, schema, value, ...shown }: Nested): Child {
  const given = isObject(value) ? value : {}
  return Object.entries(schema.members)
    .filter(([name, { isDeprecated }]) => name !== 'id' && name !== '_destroy' && !isDeprecated)
    .map(([name, member]) => {
      const reference = referenceOf(name, member)
      return field({
        ...shown,
        id: `${shown.id}-${name}`,
        name: `${shown.name}[${name}]`,
        schema: member,
        label: wordsOfField(name, reference !== null),
        required: false,
        isPart: true,
        value: given[name],
        reference,
        hint: member.description ?? (reference ? referenceHints[reference] : undefined),
        problem: undefined,
      })
    })
}

/** An object as a group of the fields of its members. */
export function Members(shown: Nested) {
  return (
    <Group shown={shown}>
      <div class="members-of">{fieldsOf(shown)}</div>
    </Group>
  )
}

/** What an entry of a list is, in words. */
function entryText(entry: Json): string {
  const text = entry.access_level_description ?? entry.name ?? entry.key
  return text === undefined ? `number ${entry.id}` : String(text)
}

/** An entry that is there, which the form can only remove. */
function Kept({ name, entry, id }: { name: string; entry: Json; id: string }) {
  return (
    <li class="check">
      <input type="hidden" name={`${name}[id]`} value={String(entry.id)} />
      <input type="checkbox" id={id} name={`${name}[_destroy]`} value="true" checked={entry._destroy === 'true'} />
      <label for={id}>Remove {entryText(entry)}</label>
    </li>
  )
}

/** The entries of a list that the form received, or that are there. */
function entriesOf(value: unknown): Json[] {
  const entries = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return entries.filter(isObject)
}

const entryOf = (schema: Schema): Schema => schema.item ?? schema

/** A list of objects: those that are there, and rows for new ones. */
export function Entries(shown: Nested) {
  const { id, name, schema, value } = shown
  const entry = entryOf(schema)
  const entries = entriesOf(value)
  const kept = 'id' in entry.members ? entries.filter((one) => one.id !== undefined) : []
  const others = entries.filter((one) => !kept.includes(one))
  // Members that are never shown are missing: the form cannot send the entry again.
  const whole = others.filter((one) => entry.required.every((member) => member in one))
  const secret = others.filter((one) => !whole.includes(one))
  const rows: Json[] = [...whole, {}, ...(kept.length > 0 ? [] : [{}])]
  return (
    <Group shown={shown}>
      {kept.length > 0 && (
        <ul>
          {kept.map((one, index) => (
            <Kept name={`${name}[${index}]`} id={`${id}-${index}`} entry={one} />
          ))}
        </ul>
      )}
      {secret.length > 0 && <p>{secret.map(entryText).join(', ')}: replaced by what you write here.</p>}
      {rows.map((row, index) => (
        <div class="entry">
          {fieldsOf({
            ...shown,
            id: `${id}-new${index}`,
            name: `${name}[${kept.length + index}]`,
            schema: entry,
            value: row,
          })}
        </div>
      ))}
    </Group>
  )
}
