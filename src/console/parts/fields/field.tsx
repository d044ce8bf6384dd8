import type { Operation } from '../../../api/index.ts'
import { type Reference, referenceHints, referenceOf } from '../../forms/references.ts'
import { type Schema, schemaOf } from '../../forms/schema.ts'
import type { Html } from '../../html/index.ts'
import type { Visit } from '../../page.ts'
import { Title } from '../parts.tsx'
import { isRole, memberRoles, wordsOfField } from '../words.ts'
import { Control, type Shown } from './controls.tsx'
import { Check, Checks, Entries, Members } from './nested-fields.tsx'

export type FieldOptions = {
  label?: string | undefined
  hint?: string | undefined
  rows?: number | undefined
  value?: unknown
  /** Values of a fixed set in words. */
  words?: Readonly<Record<string, string>> | undefined
  /** Whether the form needs it, where the operation does not say so. */
  required?: boolean | undefined
  /** Whether its value is never shown. */
  isSecret?: boolean | undefined
  /** Objects to choose from, where the parameter is the id or the name of one. */
  choices?: Shown['choices']
}

/** Whether a form can have a field for a parameter: objects of any names have none. */
export function hasField(operation: Operation, name: string): boolean {
  const param = operation.params?.[name]
  return param === undefined || isWritable(schemaOf(param.schema))
}

/** Whether an operation needs a parameter, as it does those of its path that it does not declare. */
export function isRequired(operation: Operation, name: string): boolean {
  return operation.params?.[name]?.required ?? operation.path.includes(`:${name}`)
}

function isWritable({ kind, item, members }: Schema): boolean {
  if (kind === 'list') return item !== null && item.kind !== 'list' && isWritable(item)
  return kind === 'object' ? Object.values(members).some(isWritable) : kind !== 'any'
}

/** A role is a number without a set in some operations: the roles of members are meant. */
function withRoles(schema: Schema, name: string): Schema {
  if (!isRole(name) || schema.values) return schema
  if (schema.kind === 'number') return { ...schema, values: memberRoles }
  return schema.item && !schema.item.values ? { ...schema, item: { ...schema.item, values: memberRoles } } : schema
}

/** A field by what is known of it: one control, a group of boxes, or the fields of an object. */
export function FieldOf(shown: Shown): Html {
  const { kind, item } = shown.schema
  if (kind === 'boolean') return <Check {...shown} />
  if (kind === 'object') return <Members {...shown} field={FieldOf} />
  if (kind === 'list' && item?.kind === 'object') return <Entries {...shown} field={FieldOf} />
  if (kind === 'list' && (item?.values || shown.choices)) return <Checks {...shown} />
  const { id, label, required, changes, isPart, hint, problem } = shown
  const after = [kind === 'moment' && 'UTC', !required && !changes && !isPart && 'optional'].filter(Boolean).join(', ')
  return (
    <div class="field">
      <label for={id}>
        {label}
        {after && <span class="optional"> {after}</span>}
      </label>
      <Control {...shown} />
      {(hint || problem) && (
        <small id={`${id}-about`}>
          {problem && <span class="problem">{problem}. </span>}
          {hint && <Title text={hint} />}
        </small>
      )}
    </div>
  )
}

/** A sentence that others follow: descriptions of parameters mostly have no full stop. */
const ended = (sentence: string) => (sentence.endsWith('.') ? sentence : `${sentence}.`)

/** What the schema says of a value, as far as people who write into a field need it. */
function hintOf({ kind, description, item }: Schema, name: string, reference: Reference | null): string | undefined {
  if (isRole(name)) return undefined
  const lines = kind === 'list' && item?.kind !== 'object' && !item?.values ? 'One in each line.' : undefined
  const sentences = [description, lines, reference && referenceHints[reference]].filter((one) => one)
  return sentences.map((one, index) => (index < sentences.length - 1 ? ended(`${one}`) : one)).join(' ') || undefined
}

type FieldProps = { visit: Visit; operation: Operation; name: string; options?: FieldOptions }

/** The field of a parameter, by its schema: its kind, its bounds, its hint. */
export function Field({ visit, operation, name, options = {} }: FieldProps) {
  const param = operation.params?.[name]
  const schema = withRoles(schemaOf(param?.schema ?? { type: 'string' }), name)
  const refused = visit.refused?.operation === operation.id ? visit.refused : null
  const reference = referenceOf(name, schema)
  return (
    <FieldOf
      {...options}
      id={`field-${operation.id.replaceAll('.', '-')}-${name}`}
      name={name}
      schema={schema}
      label={options.label ?? wordsOfField(name, reference !== null)}
      reference={reference}
      required={options.required ?? isRequired(operation, name)}
      changes={operation.method === 'PUT' || operation.method === 'PATCH'}
      isKey={name === 'key' && !/variables/.test(operation.id)}
      value={refused ? refused.values[name] : options.value}
      hint={options.hint ?? hintOf(schema, name, reference)}
      problem={refused?.fields[name]}
    />
  )
}
