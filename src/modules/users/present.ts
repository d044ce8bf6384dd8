import { type Actor, type Static, type TSchema, Type } from '../../api/index.ts'
import { type UserFacts, withoutFacts } from './facts.ts'
import { fields, type Level, levels, type PresentingUsers, readBasic, type Shown, type UserBasic } from './fields.ts'
import type { UserRow } from './tables.ts'

const rank = (level: Level) => levels.indexOf(level)

function fieldsUpTo(most: Level) {
  return Object.entries(fields).filter(([, { level }]) => rank(level) <= rank(most))
}

/** The schema of an answer that shows at least one level and at most another: what lies between may be absent. */
function userSchema(title: string, least: Level, most: Level = least) {
  const properties: Record<string, TSchema> = {}
  for (const [name, { level, schema, mayBeAbsent }] of fieldsUpTo(most)) {
    // From level P on whoever reads is the user themself or an administrator, from whom nothing is hidden.
    const isSure = rank(level) <= rank(least) && !(mayBeAbsent && rank(least) < rank('own'))
    properties[name] = isSure ? schema : Type.Optional(schema)
  }
  return Type.Object(properties, { title })
}

/** One's own record: level P, level A for administrators. */
export const OwnUser = userSchema('OwnUser', 'own', 'administrator')
/** One user: level U, level D for administrators. */
export const SingleUser = userSchema('SingleUser', 'single', 'detail')
/** A user in the list: level B, level A for administrators. */
export const ListedUser = userSchema('ListedUser', 'basic', 'administrator')
/** What administrators get back when they make or change a user: level A. */
export const UserForAdministrators = userSchema('UserForAdministrators', 'administrator')

const shownAt = Object.fromEntries(levels.map((level) => [level, fieldsUpTo(level)])) as Record<
  Level,
  ReturnType<typeof fieldsUpTo>
>

/** A user at level B. */
export function presentUserBasic(user: UserRow, presenting: PresentingUsers): Static<typeof UserBasic> {
  return readBasic({ user, presenting, facts: withoutFacts, readsProfile: false })
}

/** What showing users to somebody takes, loaded for the whole page. */
export type UsersContext = { reader: Actor; facts: UserFacts; presenting: PresentingUsers }

/**
 * A user at a level. Administrators and the user themself also see what a private profile hides (contract 20 R9).
 * @param context `facts` come from `loadUserFacts`
 */
export function presentUser(level: Level, user: UserRow, context: UsersContext): Record<string, unknown> {
  const { reader, facts, presenting } = context
  const isTrusted = reader.kind === 'user' && (reader.administrator || reader.userId === user.id)
  const shown: Shown = { user, presenting, facts, readsProfile: isTrusted || !user.private_profile }
  const object: Record<string, unknown> = {}
  for (const [name, { read }] of shownAt[level]) {
    const value = read(shown)
    if (value !== undefined) object[name] = value
  }
  return object
}

export { commitIdentity, type Level, type PresentingUsers, UserBasic } from './fields.ts'
