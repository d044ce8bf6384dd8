import { type Actor, forms, onlyIn, type Static, type TSchema, Type } from '../../../api/index.ts'
import type { Attribute } from '../../custom-attributes/index.ts'
import { schemaOf } from '../../settings/index.ts'
import type { PresentingUsers } from '../../users/index.ts'
import { featureSwitches, type ProjectSettings, projectSettings } from '../settings/settings.ts'
import type { ProjectFacts } from './facts.ts'

/** Values that are the same for all projects of an answer. */
export type View = {
  actor: Actor
  externalUrl: string
  /** What precedes a project's path in its addresses for git: `https://…/` and `git@host:`. */
  httpPrefix: string
  sshPrefix: string
  /** Host and port of the registry; undefined when the instance has none. */
  registryHost: string | undefined
  /** A description as HTML (contract 21, `description_html`). */
  renderDescription(projectId: number, text: string): string
  /** For the presentation of users. */
  users: PresentingUsers
  /** Shows the caller's roles: only in reads and lists (contract 21, `permissions`). */
  permissions: boolean
  statistics: boolean
  /** Custom attributes by project, when they are shown. */
  customAttributes?: ReadonlyMap<number, Attribute[]> | undefined
}

/** Whether a member is shown. */
type Condition = (facts: ProjectFacts) => boolean

/** One member of a project as the API shows it; a value of undefined leaves it out. */
export type Field<T> = {
  schema: TSchema
  value(facts: ProjectFacts, view: View): T | undefined
  /** When it is shown; always by default. */
  condition?: Condition
  /** The setting whose value it shows as it is. */
  setting?: keyof ProjectSettings
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds members of all types
export type Fields = Record<string, Field<any>>

/** The object that a table of members makes. */
export type Presented<F extends Fields> = { [K in keyof F]?: F[K] extends Field<infer T> ? T : never }

export function field<S extends TSchema>(
  schema: S,
  value: (facts: ProjectFacts, view: View) => Static<S> | undefined,
): Field<Static<S>> {
  return { schema, value }
}

export const administers: Condition = (facts) => facts.administers

/** The same member, shown only under the condition. */
export function onlyIf<T>(condition: Condition, one: Field<T>): Field<T> {
  return { ...one, condition }
}

/** A table of members, shown only under the condition. */
export function allOnlyIf<F extends Fields>(condition: Condition, fields: F): F {
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, onlyIf(condition, one)])) as F
}

/** Settings that are shown as they are, in this order. */
export function plain<const N extends keyof typeof projectSettings>(...names: N[]) {
  const entries = names.map((name): [string, Field<unknown>] => {
    const schema = Type.Unsafe(schemaOf(projectSettings[name] as never) as never)
    return [name, { ...field(schema, ({ settings }) => settings[name]), setting: name }]
  })
  return Object.fromEntries(entries) as { [K in N]: Field<ProjectSettings[K]> }
}

type Present = (facts: ProjectFacts, view: View) => Record<string, unknown>

/**
 * Makes the function that presents a table of members: one object literal, its code generated from the table. An object of
 * a hundred members that is built one by one becomes a hash table, which costs a page of projects a tenth of its time.
 */
export function presenterOf(fields: Fields): Present {
  const entries = Object.entries(fields)
  const conditions = [...new Set(entries.flatMap(([, { condition }]) => condition ?? []))]
  const members = entries.map(([name, { condition, setting }], index) => {
    const value = setting === undefined ? `values[${index}](facts, view)` : `settings[${JSON.stringify(setting)}]`
    const shown = condition ? `held[${conditions.indexOf(condition)}] ? ${value} : undefined` : value
    return `${JSON.stringify(name)}: ${shown}`
  })
  // Each condition is evaluated once for all its members.
  const code = `
    const { settings } = facts
    const held = conditions.map((condition) => condition(facts))
    return { ${members.join(', ')} }`
  const present = new Function('values', 'conditions', 'facts', 'view', code)
  const values = entries.map(([, { value }]) => value)
  return (facts, view) => present(values, conditions, facts, view)
}

/** Whether the caller has a feature of this level (contract 00, "Visibility and code access"). */
export function hasFeature(facts: ProjectFacts, level: string): boolean {
  return level === 'private' ? facts.isMember : level !== 'disabled'
}

/** Whether a feature is available to the caller, under its older name. */
export function isOn(name: keyof typeof featureSwitches): Field<boolean> {
  return field(Type.Boolean(), (facts) => hasFeature(facts, facts.settings[featureSwitches[name]]))
}

export const text = Type.String()
export const flag = Type.Boolean()
export const optionalText = forms.nullableString

/** Members that only some editions of the server have. */
export function fieldsOnlyIn<F extends Fields>(availability: Parameters<typeof onlyIn>[0], fields: F): F {
  const limited = Object.entries(fields).map(([name, one]) => [
    name,
    { ...one, schema: onlyIn(availability, one.schema) },
  ])
  return Object.fromEntries(limited) as F
}
