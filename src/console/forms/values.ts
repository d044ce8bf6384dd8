import { type ApiError, isUploadedFile, type Operation } from '../../api/index.ts'
import { isObject, type Schema, schemaOf } from './schema.ts'

/** The elements of a list, which a form sends as `a[]` or as `a[0]`, and a single text as lines. */
function elementsOf(value: unknown, { item }: Schema): unknown[] {
  if (Array.isArray(value)) return value
  if (isObject(value)) return Object.values(value)
  return item?.kind === 'object' ? [] : String(value).split(/\r?\n/)
}

/** Whether an entry of a list of objects says something: rows of the form that were left empty do not, whatever is to be done with them. */
const saysSomething = ({ id, _destroy, action: _, ...rest }: Record<string, unknown>) =>
  (id !== undefined && _destroy === 'true') || Object.keys(rest).length > 0

/** What a form sends for a value, without what was left empty; undefined when nothing remains. */
function written(value: unknown, schema: Schema, clears = false): unknown {
  if (value === '' || isUploadedFile(value)) return value === '' ? undefined : value
  if (schema.kind === 'list') {
    const item = schema.item ?? schema
    const elements = elementsOf(value, schema)
      .map((one) => written(typeof one === 'string' ? one.trim() : one, item))
      .filter((one) => one !== undefined && (!isObject(one) || item.kind !== 'object' || saysSomething(one)))
    return elements.length > 0 ? elements : undefined
  }
  if (schema.kind !== 'object' || !isObject(value)) return value
  const members = Object.entries(value).map(([name, one]) => {
    const member = schema.members[name] ?? schema
    return [name, clears && one === '' && member.isNullable ? null : written(one, member)]
  })
  const present = members.filter(([, one]) => one !== undefined)
  return present.length > 0 ? Object.fromEntries(present) : undefined
}

/** What a parameter is given to clear it; undefined where that is not possible. */
function cleared({ kind, values, item }: Schema, isNullable: boolean): unknown {
  if (kind === 'text' && values === null) return ''
  if (kind === 'list') return item?.kind === 'object' ? undefined : []
  return isNullable ? null : undefined
}

/** Browsers send the line breaks of a text area as CRLF, whatever they were before. */
function plainLines(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\r\n', '\n')
  if (Array.isArray(value)) return value.map(plainLines)
  if (!isObject(value) || isUploadedFile(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainLines(one)]))
}

/** The name of the hidden field of `fieldsEmptyBefore`. */
export const emptyBefore = '_empty'

/**
 * The parameters that a form sends to an operation. A form sends every field: an empty one is absent, except that a change clears
 * what was there before, also members of objects. The form names the fields that were empty when it was shown, also those whose value is never shown. Line
 * breaks become LF, unless the form says that its text has CRLF.
 */
export function callOfForm(operation: Operation, fields: Record<string, unknown>): Record<string, unknown> {
  const { [emptyBefore]: names = '', _lines: lines, ...given } = fields
  const wereEmpty = new Set(String(names).split(','))
  const changes = operation.method === 'PUT' || operation.method === 'PATCH'
  const call: Record<string, unknown> = {}
  for (const [name, sent] of Object.entries(given)) {
    const value = lines === 'crlf' ? sent : plainLines(sent)
    const param = operation.params?.[name]
    const schema = schemaOf(param?.schema)
    const said = written(value, schema, changes)
    const isUnchanged = wereEmpty.has(name) && (said === undefined || (schema.kind === 'boolean' && said === 'false'))
    if (said !== undefined && !isUnchanged) call[name] = said
    else if (param?.required) call[name] = value
    else if (changes && !isUnchanged && param) {
      const nothing = cleared(schema, param.nullable)
      if (nothing !== undefined) call[name] = nothing
    }
  }
  return call
}

/** What an error of the API says, for people: a sentence, and the problems of single fields. */
export type Problem = { sentence: string; fields: Record<string, string> }

/** The problems of fields in an error of form A or B, such as `title is missing, state does not have a valid value`. */
function fieldsOfText(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const part of text.split(', ')) {
    const [, name, problem] = /^([\w[\]]+) ((?:is|does|are) .*)$/.exec(part) ?? []
    if (name && problem) fields[name] = problem
  }
  return fields
}

function fieldsOf({ message, error }: ApiError['body']): Record<string, string> {
  if (typeof error === 'string') return fieldsOfText(error)
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return {}
  return Object.fromEntries(Object.entries(message).map(([name, texts]) => [name, [texts].flat().join(', ')]))
}

/** Reads an error of the API for people. */
export function problemOf({ body }: ApiError): Problem {
  const fields = fieldsOf(body)
  const named = Object.entries(fields).map(([name, text]) => `${name.replaceAll('_', ' ')} ${text}`)
  const { message, error } = body
  const text = [message, error].find((one) => typeof one === 'string') as string | undefined
  const plain = Array.isArray(message) ? message.join('; ') : (text ?? 'The request failed')
  const sentence = named.length > 0 ? named.join('; ') : plain.replace(/^\d{3} (Bad request|Forbidden)?( - )?/i, '')
  const shown = sentence === '' ? plain : sentence
  return { sentence: shown.charAt(0).toUpperCase() + shown.slice(1), fields }
}
