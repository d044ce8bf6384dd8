import { type Actor, forms, type Static, type TSchema, Type } from '../../../api/index.ts'
import { schemaOf } from '../../settings/index.ts'
import type { PresentingUsers } from '../../users/index.ts'
import type { ProjectFacts } from '../facts.ts'
import { featureSwitches, type ProjectSettings, projectSettings } from '../settings.ts'

/** Addresses and circumstances that are the same for everything that an answer shows. */
export type View = {
  actor: Actor
  externalUrl: string
  /** What stands before a project's path in its addresses for git: `https://…/` and `git@host:`. */
  httpPrefix: string
  sshPrefix: string
  /** Host and port of the registry; undefined while the instance has none. */
  registryHost: string | undefined
  /** What showing users takes. */
  users: PresentingUsers
  /** Whether to tell the caller's roles: only in reads and lists (contract 21, `permissions`). */
  permissions: boolean
  statistics: boolean
  customAttributes: boolean
}

/** Whether somebody sees a member. */
type Condition = (facts: ProjectFacts) => boolean

/** One member of a project as the API shows it; a value of undefined leaves it out. */
export type Field<T> = {
  schema: TSchema
  value(facts: ProjectFacts, view: View): T | undefined
  /** Who gets it; everybody unless told. */
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

/** The same member, for those alone whom the condition admits. */
export function onlyIf<T>(condition: Condition, one: Field<T>): Field<T> {
  return { ...one, condition }
}

/** A whole table of members, for those alone whom the condition admits. */
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

/** Makes the function that fills in the members of a table. Who sees what is asked once for all that hang on it. */
export function filler(fields: Fields) {
  const conditions = new Set(Object.values(fields).map(({ condition }) => condition))
  const groups = [...conditions].map((condition) => {
    const entries = Object.entries(fields).filter(([, one]) => one.condition === condition)
    return {
      condition,
      settings: entries.flatMap(([, { setting }]) => setting ?? []),
      computed: entries.filter(([, { setting }]) => setting === undefined),
    }
  })
  return function fill(shown: Record<string, unknown>, facts: ProjectFacts, view: View): void {
    const { settings } = facts
    for (const group of groups) {
      if (group.condition && !group.condition(facts)) continue
      for (const name of group.settings) shown[name] = settings[name]
      for (const [name, { value }] of group.computed) shown[name] = value(facts, view)
    }
  }
}

/** Whether the caller has a feature of this level (contract 00, "Visibility and code access"). */
export function hasFeature(facts: ProjectFacts, level: string): boolean {
  return level === 'private' ? facts.isMember : level !== 'disabled'
}

/** Whether the caller has a feature that clients know by an older name. */
export function isOn(name: keyof typeof featureSwitches): Field<boolean> {
  return field(Type.Boolean(), (facts) => hasFeature(facts, facts.settings[featureSwitches[name]]))
}

export const text = Type.String()
export const flag = Type.Boolean()
export const optionalText = forms.nullableString
