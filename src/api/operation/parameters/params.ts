import type { Availability } from '../availability.ts'
import { recordNotFound } from '../errors.ts'
import { withNull } from '../schema.ts'
import { parseDate, parseDateTime } from './dates.ts'
import type { RawParameters } from './nested-parameters.ts'
import { isUploadedFile, type UploadedFile } from './uploaded-file.ts'

/** JSON Schema of a parameter, for the OpenAPI document. */
type ParameterSchema = { [keyword: string]: unknown }

/** A problem of one parameter. `missing` makes form A, everything else form B (contract 00, "400 bodies"). */
export type Problem = { name: string; missing: boolean; text: string }

/**
 * A parameter of an operation: how its value is read from the request, and its schema for the documentation. `Required`
 * decides whether the operation may get `undefined`.
 */
export type Param<T, Required extends boolean = boolean> = {
  readonly schema: ParameterSchema
  readonly required: Required
  readonly nullable: boolean
  /** Messages for an absent value when `required` (contract 20 `M` and `MB`). */
  readonly absent: string[]
  /** Whether empty text means absent: for everything but strings. */
  readonly emptyIsAbsent: boolean
  /** Of objects and lists of them: the parameter with other members; null when `restrict` changes none. */
  readonly restricted?: (restrict: Restrict) => Pick<Param<unknown>, 'schema' | 'read'> | null
  /** The editions that have the parameter; without it all of them. */
  readonly availability?: Availability
  /** What stands in its place in the other editions. */
  readonly elsewhere?: Param<unknown, boolean>
  /** Reads a present value. Adds to `problems` and returns undefined when it is invalid. */
  read(value: unknown, name: string, problems: Problem[]): T | undefined
}

/** Changes a set of parameters; returns the same set when there is nothing to change. */
type Restrict = (members: ParamSet) => ParamSet

// biome-ignore lint/suspicious/noExplicitAny: a set holds parameters of all types
export type ParamSet = { [name: string]: Param<any, boolean> }

/** The values of parameters, as the operation gets them. */
export type ParamValues<P extends ParamSet> = {
  [K in keyof P as P[K] extends Param<unknown, true> ? K : never]: P[K] extends Param<infer T> ? T : never
} & {
  [K in keyof P as P[K] extends Param<unknown, true> ? never : K]?: P[K] extends Param<infer T> ? T : never
}

function wrong(problems: Problem[], name: string, text: string): undefined {
  problems.push({ name, missing: false, text })
  return undefined
}

type Reader<T> = Param<T>['read']

function param<T>(schema: ParameterSchema, read: Reader<T>, emptyIsAbsent = true): Param<T, false> {
  return { schema, read, required: false, nullable: false, absent: ['is missing'], emptyIsAbsent }
}

type StringOptions = { maxLength?: number; blank?: boolean; description?: string; example?: string }

const loneSurrogate = /\p{Surrogate}/u

function text(value: unknown, name: string, problems: Problem[]): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' || value.includes('\u0000') || loneSurrogate.test(value)) {
    return wrong(problems, name, 'is invalid')
  }
  return value
}

/** Text. JSON numbers and booleans become text; invalid UTF-8 is an error. */
function string({ maxLength, blank = true, ...documented }: StringOptions = {}): Param<string, false> {
  const schema = { type: 'string', ...(maxLength ? { maxLength } : {}), ...documented }
  return param(
    schema,
    (value, name, problems) => {
      const read = text(value, name, problems)
      if (read === undefined) return undefined
      if (!blank && read.trim() === '') return wrong(problems, name, 'is empty')
      if (maxLength !== undefined && [...read].length > maxLength) {
        return wrong(problems, name, `is too long (maximum is ${maxLength} characters)`)
      }
      return read
    },
    false,
  )
}

const integerPattern = /^[+-]?\d{1,30}$/
const largest = 2n ** 63n - 1n

function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? value : undefined
  if (typeof value !== 'string' || !integerPattern.test(value.trim())) return undefined
  const exact = BigInt(value.trim().replace(/^\+/, ''))
  if (exact > largest || exact < -largest) return undefined
  // Larger ids do not exist, and their rounding would exceed the range of the databases.
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(exact)))
}

/** A whole number, also as text; `minimum` and `maximum` make "does not have a valid value". */
function integer(options: { minimum?: number; maximum?: number; description?: string } = {}): Param<number, false> {
  const { minimum = -Infinity, maximum = Infinity } = options
  return param({ type: 'integer', ...options }, (value, name, problems) => {
    const read = wholeNumber(value)
    if (read === undefined) return wrong(problems, name, 'is invalid')
    return read < minimum || read > maximum ? wrong(problems, name, 'does not have a valid value') : read
  })
}

/** One of a list of whole numbers, as access levels are. */
function integerOf(values: readonly number[], options: { description?: string } = {}): Param<number, false> {
  return param({ type: 'integer', enum: values, ...options }, (value, name, problems) => {
    const read = wholeNumber(value)
    if (read === undefined) return wrong(problems, name, 'is invalid')
    return values.includes(read) ? read : wrong(problems, name, 'does not have a valid value')
  })
}

const truths: Record<string, boolean> = {
  true: true,
  t: true,
  1: true,
  on: true,
  yes: true,
  y: true,
  false: false,
  f: false,
  0: false,
  off: false,
  no: false,
  n: false,
}

/** A boolean, in each of the spellings of contract 00. */
function boolean(options: { description?: string } = {}): Param<boolean, false> {
  return param({ type: 'boolean', ...options }, (value, name, problems) => {
    const key = typeof value === 'string' ? value.trim().toLowerCase() : typeof value === 'object' ? '' : String(value)
    const read = Object.hasOwn(truths, key) ? truths[key] : undefined
    return read === undefined ? wrong(problems, name, 'is invalid') : read
  })
}

/** One of a list of words. */
function oneOf<const V extends string>(values: readonly V[], options: { description?: string } = {}): Param<V, false> {
  return param(
    { type: 'string', enum: values, ...options },
    (value, name, problems) => {
      const read = text(value, name, problems)
      if (read === undefined) return undefined
      return values.includes(read as V) ? (read as V) : wrong(problems, name, 'does not have a valid value')
    },
    false,
  )
}

function parsedText(schema: ParameterSchema, parse: (text: string) => string | null): Param<string, false> {
  return param(schema, (value, name, problems) => {
    const read = typeof value === 'string' ? parse(value.trim()) : null
    return read ?? wrong(problems, name, 'is invalid')
  })
}

/** A moment, read as contract 00 says; its value is ISO text in UTC with milliseconds. */
function datetime(options: { description?: string } = {}): Param<string, false> {
  return parsedText({ type: 'string', format: 'date-time', ...options }, parseDateTime)
}

/** A day, `YYYY-MM-DD`. */
function date(options: { description?: string } = {}): Param<string, false> {
  return parsedText({ type: 'string', format: 'date', ...options }, parseDate)
}

function indexed(value: unknown): unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const keys = Object.keys(value)
  return keys.every((key) => /^\d+$/.test(key)) ? keys.map((key) => (value as RawParameters)[key]) : undefined
}

function embedded(value: string): unknown[] | undefined {
  if (!value.trimStart().startsWith('[')) return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/**
 * A list. A single value is one element, or split at commas where the part says so; `a[0]=…` is a list as well, and so is
 * JSON text of a list of objects. `a[]=` alone is a list without elements, because forms cannot write it otherwise. Beside
 * other elements an empty one is absent, where empty text is absent for one value.
 */
function array<T>(
  item: Param<T>,
  options: { commaSeparated?: boolean; maximum?: number; description?: string } = {},
): Param<T[], false> {
  const { commaSeparated = false, maximum = 10_000, ...documented } = options
  const split = (value: unknown): unknown[] | undefined => {
    if (Array.isArray(value)) return value.length === 1 && value[0] === '' ? [] : value
    if (typeof value === 'object') return indexed(value)
    if (typeof value !== 'string') return [value]
    if (item.schema.type === 'object') return embedded(value)
    if (value === '') return []
    return commaSeparated
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
      : [value]
  }
  const list = param(
    { type: 'array', items: item.schema, ...documented },
    (value, name, problems) => {
      const elements = split(value)
      if (elements === undefined || elements.length > maximum) return wrong(problems, name, 'is invalid')
      const before = problems.length
      const present = item.emptyIsAbsent ? elements.filter((element) => element !== '') : elements
      const read = present.map((element, index) => item.read(element, `${name}[${index}]`, problems) as T)
      return problems.length > before ? undefined : read
    },
    false,
  )
  const { restricted } = item
  if (!restricted) return list
  const ofOthers = (restrict: Restrict) => {
    const other = restricted(restrict)
    return other && array({ ...item, ...other } as Param<T>, options)
  }
  return { ...list, restricted: ofOthers }
}

function objectSchema(members: ParamSet): ParameterSchema {
  const entries = Object.entries(members)
  const properties = Object.fromEntries(
    entries.map(([name, member]) => [name, member.nullable ? withNull(member.schema) : member.schema]),
  )
  const needed = entries.filter(([, member]) => member.required).map(([name]) => name)
  return { type: 'object', properties, ...(needed[0] ? { required: needed } : {}) }
}

/** An object with named members, each of them a parameter. */
function object<P extends ParamSet>(members: P, options: { description?: string } = {}): Param<ParamValues<P>, false> {
  const read: Reader<ParamValues<P>> = (value, name, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(problems, name, 'is invalid')
    return readParameters(members, value as RawParameters, problems, (member) => `${name}[${member}]`) as ParamValues<P>
  }
  const restricted = (restrict: Restrict) => {
    const others = restrict(members)
    return others === members ? null : object(others, options)
  }
  return { ...param({ ...objectSchema(members), ...options }, read), restricted }
}

/** An object with members of any names, all of one kind. */
function record<T>(
  item: Param<T>,
  options: { maximum?: number; description?: string } = {},
): Param<Record<string, T>, false> {
  const { maximum = 1_000, ...documented } = options
  const schema = { type: 'object', additionalProperties: item.schema, ...documented }
  return param(schema, (value, name, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(problems, name, 'is invalid')
    const entries = Object.entries(value)
    if (entries.length > maximum) return wrong(problems, name, 'is invalid')
    const before = problems.length
    const read = entries.map(([key, one]) => {
      const isText = text(key, name, problems) !== undefined
      return [key, isText ? item.read(one, `${name}[${key}]`, problems) : undefined] as const
    })
    return problems.length > before ? undefined : (Object.fromEntries(read) as Record<string, T>)
  })
}

/** An uploaded file (multipart). Empty text is accepted too, and removes the file. */
function file(options: { description?: string } = {}): Param<UploadedFile | '', false> {
  return param(
    { type: 'string', format: 'binary', ...options },
    (value, name, problems) => {
      if (value === '') return ''
      return isUploadedFile(value) ? value : wrong(problems, name, 'is invalid')
    },
    false,
  )
}

/** A required uploaded file (multipart). Empty text, which browsers send for a form without a file, counts as missing. */
function requiredFile(options: { description?: string } = {}): Param<UploadedFile, true> {
  return { ...required(file(options) as Param<UploadedFile, false>), emptyIsAbsent: true }
}

function isAbsent(definition: Param<unknown>, value: unknown): boolean {
  return value === undefined || (value === null && !definition.nullable) || (value === '' && definition.emptyIsAbsent)
}

/**
 * Reads the declared parameters of a request; undeclared ones are ignored.
 * @param problems receives the problems, in the order of declaration
 * @param nameOf returns the name of a parameter in messages (nested ones carry their path)
 */
export function readParameters<P extends ParamSet>(
  definitions: P,
  raw: RawParameters,
  problems: Problem[],
  nameOf: (name: string) => string = (name) => name,
): ParamValues<P> {
  const values: RawParameters = {}
  for (const [name, definition] of Object.entries(definitions)) {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined
    if (isAbsent(definition, value)) {
      if (definition.required) {
        for (const text of definition.absent)
          problems.push({ name: nameOf(name), missing: text === 'is missing', text })
      }
    } else if (value === null) values[name] = null
    else {
      const read = definition.read(value, nameOf(name), problems)
      if (read !== undefined) values[name] = read
    }
  }
  return values as ParamValues<P>
}

const pathNumber = /^[+-]?\d+$/
const largestId = 2n ** 63n - 1n

/**
 * A number in the path. `otherwise` says what other text means: no such route (404), an invalid parameter (form B), or an
 * id that no record has, which is 0.
 */
export type PathNumber = Param<number, true> & { readonly otherwise: 'route' | 'invalid' | 'no record' }

/** Whether a text is a number as in a path. */
export const isPathNumber = (text: string) => pathNumber.test(text)

/** An id in the path. A number outside the range of ids is 404. */
function id({ otherwise = 'invalid' }: { otherwise?: PathNumber['otherwise'] } = {}): PathNumber {
  const read: Reader<number> = (value, name, problems) => {
    const written = String(value)
    if (!isPathNumber(written)) return otherwise === 'no record' ? 0 : wrong(problems, name, 'is invalid')
    const exact = BigInt(written.replace(/^\+/, ''))
    if (exact > largestId || exact < -largestId) throw recordNotFound()
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : 0
  }
  return { ...param({ type: 'integer' }, read), required: true, otherwise }
}

/** Marks a parameter as required: absent → "x is missing". */
function required<T>(definition: Param<T>): Param<T, true> {
  return { ...definition, required: true }
}

/** Required and not blank: absent → "x is missing, x is empty" (contract 20 `MB`). */
function requiredNotBlank(options: StringOptions = {}): Param<string, true> {
  return { ...string({ ...options, blank: false }), required: true, absent: ['is missing', 'is empty'] }
}

/** Says of blank text that it "is empty", where it would be absent or invalid otherwise. */
function filled<T, R extends boolean>(definition: Param<T, R>): Param<T, R> {
  const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === ''
  const read: Param<T>['read'] = (value, name, problems) =>
    isBlank(value) ? wrong(problems, name, 'is empty') : definition.read(value, name, problems)
  return { ...definition, read, emptyIsAbsent: false }
}

/** Accepts JSON `null`, which clears the value. */
function nullable<T>(definition: Param<T, false>): Param<T | null, false> {
  return { ...definition, nullable: true } as Param<T | null, false>
}

/** Accepts JSON `null` and empty text, which both clear the value: forms cannot send null. */
function clearable<T>(definition: Param<T, false>): Param<T | null, false> {
  const read: Param<T | null>['read'] = (value, name, problems) =>
    value === '' ? null : definition.read(value, name, problems)
  return { ...definition, read, nullable: true, emptyIsAbsent: false }
}

/** The vocabulary in which operations declare their parameters. */
export const t = {
  id,
  string,
  integer,
  integerOf,
  boolean,
  oneOf,
  datetime,
  date,
  array,
  object,
  record,
  file,
  requiredFile,
  required,
  requiredNotBlank,
  filled,
  nullable,
  clearable,
}
