import type { Operation } from '../../api/index.ts'
import { isObject, type Json, schemaOf } from '../forms/schema.ts'
import type { Child } from '../html/index.ts'
import type { Visit } from '../page.ts'
import { isSecret } from '../parts/fields/controls.tsx'
import { hasField, isRequired } from '../parts/fields/field.tsx'
import { Field, type FieldOptions, Form } from '../parts/form.tsx'
import { nameOfObject, valueWords } from './cells.tsx'
import type { KnownAny } from './declared.ts'
import { groupFields } from './groups.ts'
import type { Call } from './place.ts'

/** What parameters can be chosen from. */
export type Choices = Readonly<Record<string, FieldOptions['choices']>>

const mostChoices = 100

/** Reads what the parameters of a form can be chosen from. Where there is too much of it, the user writes the name or the id. */
export async function readChoices(
  visit: Visit,
  { choices }: KnownAny,
  operation: Operation,
  call: Call,
): Promise<Choices> {
  const wanted = Object.entries(choices).filter(([name]) => operation.params?.[name])
  const read = wanted.map(async ([name, { list, member, label, call: asked }]) => {
    const found: unknown = await visit.find(list, { ...call, ...asked(visit), per_page: mostChoices })
    const rows = isObject(found) ? (found.items ?? found[name]) : []
    const items = Array.isArray(rows) ? rows.filter(isObject) : []
    const options = items.map((item) => [String(item[member]), String(label(item) ?? nameOfObject(item))] as const)
    return [name, options.length > 0 && options.length < mostChoices ? options : undefined] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

/** The parameters of an operation that have a field. @param call what the form knows without one */
export function fieldNames(
  operation: Operation,
  { fields, without = [] }: Pick<KnownAny, 'fields' | 'without'>,
  call: Call,
): string[] {
  const ofPath = operation.path.match(/(?<=:)\w+/g) ?? []
  const names = [...new Set([...ofPath, ...Object.keys(operation.params ?? {})])].filter((name) => {
    return !(name in call) && hasField(operation, name)
  })
  const chosen = fields ? fields.filter((name) => names.includes(name)) : names
  return chosen.filter((name) => name !== 'filter' && !without.includes(name))
}

type OperationFormProps = {
  visit: Visit
  family: KnownAny
  operation: Operation
  call: Call
  /** Of the object that is there, or those that a new one begins with. */
  values: Json
  choices: Choices
  verb: string
  then: string
  shows?: boolean
  kind?: 'primary' | 'danger'
  /** The only parameters with a field. */
  names?: readonly string[]
}

/** Whether a field is empty when it is shown. */
function isEmpty(operation: Operation, name: string, value: unknown): boolean {
  const schema = schemaOf(operation.params?.[name]?.schema)
  if (isSecret(schema, name) || schema.kind === 'file') return true
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** The form of an operation, derived from its parameters. */
export function OperationForm(props: OperationFormProps) {
  const { visit, family, operation, call, choices, verb, then, shows, kind = 'primary' } = props
  const isOffered = (name: string) => choices[name] !== undefined || !family.onlyChosen?.includes(name)
  const names = (props.names ?? fieldNames(operation, family, call)).filter(isOffered)
  const columns = 'columns' in family ? family.columns : []
  const shown = new Set([...columns, ...(family.fields ?? []), ...(family.first ?? [])])
  const draft = visit.refused?.isDraft && visit.refused.operation === operation.id && visit.refused.values
  const changes = operation.method === 'PUT' || operation.method === 'PATCH'
  const shownValue = (name: string) => {
    const value = props.values[family.from?.[name] ?? name]
    const choice = family.choices[name]
    return choice && isObject(value) ? value[choice.member] : value
  }
  const { lead, groups } = groupFields(names, (name) => isRequired(operation, name) || shown.has(name))
  const field = (name: string): Child => (
    <Field
      visit={visit}
      operation={operation}
      name={name}
      options={optionsOf(props, name, shownValue(name), choices)}
    />
  )
  return (
    <Form
      visit={visit}
      performs={operation}
      call={call}
      then={then}
      class="stack"
      uploads={names.some((name) => schemaOf(operation.params?.[name]?.schema).kind === 'file')}
      {...(shows && { shows })}
      {...(changes && { empty: names.filter((name) => isEmpty(operation, name, shownValue(name))) })}
    >
      {draft && family.preview?.(draft)}
      {lead.map(field)}
      {groups.map(({ title, names: members }) => (
        <details class="more" open={title === 'Events' || members.some((name) => visit.refused?.fields[name])}>
          <summary>
            {title} <span class="optional">{members.length}</span>
          </summary>
          <div class="fields">{members.map(field)}</div>
        </details>
      ))}
      <div class="buttons">
        <button class={kind}>{verb}</button>
        {/* The script shows previews of Markdown in their field; this one is read with the page. */}
        {family.preview && (
          <button name="_draft" value="whole" formnovalidate>
            Preview
          </button>
        )}
      </div>
    </Form>
  )
}

function optionsOf(
  { family, operation }: OperationFormProps,
  name: string,
  value: unknown,
  choices: Choices,
): FieldOptions {
  const said = family.words?.[name]
  const isKept = operation.method !== 'POST' && isSecret(schemaOf(operation.params?.[name]?.schema), name)
  const hint = typeof said === 'object' ? said.hint : undefined
  const kept = isKept ? 'It is not shown. Left empty, it stays as it is.' : undefined
  return {
    label: typeof said === 'string' ? said : said?.label,
    value,
    hint: [hint, kept].filter(Boolean).join(' ') || undefined,
    words: valueWords(said),
    choices: choices[name],
  }
}
