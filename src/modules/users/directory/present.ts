import { type Actor, type Static, type TSchema, Type } from '../../../api/index.ts'
import type { UserRow } from '../tables.ts'
import { type UserFacts, withoutFacts } from './facts.ts'
import { fields, type PresentingUsers, readBasic, type Shown, type UserBasic } from './fields.ts'
import { type Level, levels, reaches } from './levels.ts'

function fieldsUpTo(most: Level) {
  return Object.entries(fields).filter(([, { level }]) => reaches(most, level))
}

/** The schema of a response at one of several levels: members above the lowest one may be absent. */
function userSchema(title: string, least: Level, most: Level = least) {
  const properties: Record<string, TSchema> = {}
  for (const [name, { level, schema, mayBeAbsent }] of fieldsUpTo(most)) {
    // From level P on, the reader is the user or an administrator, from whom a private profile hides nothing.
    const isSure = reaches(least, level) && !(mayBeAbsent && (name === 'custom_attributes' || !reaches(least, 'own')))
    properties[name] = isSure ? schema : Type.Optional(schema)
  }
  return Type.Object(properties, { title })
}

/** The caller's own account: level P, level A for administrators. */
export const OwnUser = userSchema('OwnUser', 'own', 'administrator')
/** One user: level U, level D for administrators. */
export const SingleUser = userSchema('SingleUser', 'single', 'detail')
/** A user in the list: level B, level A for administrators. */
export const ListedUser = userSchema('ListedUser', 'basic', 'administrator')
/** A user that an administrator created or changed: level A. */
export const UserForAdministrators = userSchema('UserForAdministrators', 'administrator')

const shownAt = Object.fromEntries(levels.map((level) => [level, fieldsUpTo(level)])) as Record<
  Level,
  ReturnType<typeof fieldsUpTo>
>

/** A user at level B. */
export function presentUserBasic(user: UserRow, presenting: PresentingUsers): Static<typeof UserBasic> {
  return readBasic({ user, presenting, facts: withoutFacts, readsProfile: false })
}

/** What presenting users to a reader takes, loaded for the whole page. */
type UsersContext = { reader: Actor; facts: UserFacts; presenting: PresentingUsers }

/**
 * Presents a user at a level. Administrators and the user also see what a private profile hides (contract 20 R9).
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
