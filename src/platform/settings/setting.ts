import { isDeepStrictEqual } from 'node:util'
import { onlyProblems, type Param, type Problems, t } from '../../api/index.ts'

/** JSON Schema of a value. */
export type ValueSchema = Param<unknown>['schema']

/**
 * One setting of the instance: its default, and how a request gives it.
 * `Given` differs from `T` where a request may say less, or say it in other words.
 */
export type Setting<T, Given = T> = {
  readonly default: T
  readonly param: Param<Given, false>
  /** Form of the value where that is not the form of what is given. */
  readonly schema?: ValueSchema
  /** What the rules of the setting say against a given value: sentences for form C of the bad requests. */
  readonly check?: (given: Given) => string[]
  /** The new value, of what was given and what was; without it, the given value is the new one. */
  readonly combine?: (given: Given, current: T) => T
  /** The value that holds, of the one that was stored under an earlier configuration. */
  readonly restore?: (stored: T) => T
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds settings of all types
export type Definitions = Record<string, Setting<any, any>>

type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** The values of the settings of a table, by name. Shared by all who ask, hence frozen. */
export type SettingValues<D extends Definitions> = { readonly [K in keyof D]: Frozen<D[K]['default']> }

/** Some settings with the values that they are to have. */
export type SettingChanges<D extends Definitions> = {
  readonly [K in keyof D]?: D[K]['param'] extends Param<infer Given> ? Frozen<Given> : never
}

/** The parameters by which a request gives the settings of a table. */
type SettingParams<D extends Definitions> = { [K in keyof D]: D[K]['param'] }

type Merged<Tables> = Tables extends readonly [infer First, ...infer Rest] ? First & Merged<Rest> : unknown

/**
 * One table of settings out of several: so a module adds settings of its own to those of the instance.
 * @throws Error when two tables define the same name
 */
export function mergeDefinitions<const Tables extends readonly Definitions[]>(...tables: Tables): Merged<Tables> {
  const merged: Definitions = {}
  for (const [name, setting] of tables.flatMap((table) => Object.entries(table))) {
    if (Object.hasOwn(merged, name)) throw new Error(`the setting ${name} is defined twice`)
    merged[name] = setting
  }
  return merged as Merged<Tables>
}

/** The parameters of a table of settings, all of them optional. */
export function paramsOf<D extends Definitions>(definitions: D): SettingParams<D> {
  const entries = Object.entries(definitions).map(([name, { param }]) => [name, param])
  return Object.fromEntries(entries) as SettingParams<D>
}

type Values = Record<string, unknown>

/** The defaults of a table of settings. */
export function defaultsOf<D extends Definitions>(definitions: D): SettingValues<D> {
  const entries = Object.entries(definitions).map(([name, { default: initial }]) => [name, initial])
  return Object.fromEntries(entries) as SettingValues<D>
}

/** The problems of given values by the rules of their settings. */
export function settingProblems(definitions: Definitions, changes: Values): Problems {
  const given = Object.entries(definitions).filter(([name]) => changes[name] !== undefined)
  return onlyProblems(Object.fromEntries(given.map(([name, { check }]) => [name, check?.(changes[name]) ?? []])))
}

/** The values after a change; names that the table does not define are ignored. */
export function changedValues(definitions: Definitions, current: Values, changes: Values): Values {
  const given = Object.entries(definitions).filter(([name]) => changes[name] !== undefined)
  const entries = given.map(([name, { combine }]) => {
    return [name, combine ? combine(changes[name], current[name]) : changes[name]]
  })
  return { ...current, ...Object.fromEntries(entries) }
}

/** The values to store. A value equal to its default is not stored, so that it follows the default of a later release. */
export function differing(values: Values, defaults: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(value, defaults[name])))
}

type Documented = { description?: string }
type Bounds = Documented & { minimum?: number; maximum?: number }

/** As large as a client with 32-bit integers can hold; far beyond it, sums with dates fail. */
const largest = 2 ** 31 - 1

/** On or off. */
export function flag(initial: boolean, documented: Documented = {}): Setting<boolean> {
  return { default: initial, param: t.boolean(documented) }
}

/** A whole number, from 0 unless told. */
export function quantity(initial: number, bounds: Bounds = {}): Setting<number> {
  return { default: initial, param: t.integer({ minimum: 0, maximum: largest, ...bounds }) }
}

/** A whole number from 1, or null: no limit. */
export function limitOrNone(bounds: Bounds = {}): Setting<number | null> {
  return { default: null, param: t.nullable(t.integer({ minimum: 1, maximum: largest, ...bounds })) }
}

/** A short text. */
export function line(initial: string, options: Documented & { maxLength?: number } = {}): Setting<string> {
  return { default: initial, param: t.string({ maxLength: 255, ...options }) }
}

function orNone(param: Param<string, false>): Setting<string | null> {
  return { default: null, param: t.nullable(param), combine: (given) => (given === '' ? null : given) }
}

/** A short text, or null: none. The empty text is none as well, since a form cannot say null. */
export function lineOrNone(documented: Documented = {}): Setting<string | null> {
  return orNone(t.string({ maxLength: 255, ...documented }))
}

/** A long text. */
export function prose(initial: string, documented: Documented = {}): Setting<string> {
  return { default: initial, param: t.string({ maxLength: 1024 * 1024, ...documented }) }
}

/** A long text, or null: none. The empty text is none as well. */
export function proseOrNone(documented: Documented = {}): Setting<string | null> {
  return orNone(t.string({ maxLength: 1024 * 1024, ...documented }))
}

/** One of a list of words. */
export function choice<const V extends string>(values: readonly V[], initial: NoInfer<V>): Setting<V> {
  return { default: initial, param: t.oneOf(values) }
}

/** Some of a list of words. What is wrong with one of them is said of the list as a whole (contract 20, `V`). */
export function choices<const V extends string>(values: readonly V[], initial: readonly NoInfer<V>[]): Setting<V[]> {
  const list = t.array(t.oneOf(values), { commaSeparated: true })
  const param: Param<V[], false> = {
    ...list,
    read(value, name, problems) {
      const found: typeof problems = []
      const read = list.read(value, name, found)
      const first = found[0]
      if (first) problems.push({ ...first, name })
      return read
    },
  }
  return { default: [...initial], param }
}

/** A list of short texts. */
export function lines(documented: Documented = {}): Setting<string[]> {
  return {
    default: [],
    param: t.array(t.string({ blank: false, maxLength: 255 }), { commaSeparated: true, ...documented }),
  }
}

/** The same setting, for which only values are taken that the pattern matches. */
export function matching<T extends string | null>(setting: Setting<T>, pattern: RegExp, otherwise: string): Setting<T> {
  return { ...setting, check: (given) => (given === null || pattern.test(given) ? [] : [otherwise]) }
}
