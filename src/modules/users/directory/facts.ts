import type { Actor } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Attribute } from '../../custom-attributes/index.ts'
import { type Follows, followsOf } from '../following/store.ts'
import { usersByIds } from '../store.ts'
import type { IdentityRow, UserRow } from '../tables.ts'
import { type Level, reaches } from './levels.ts'
import { highestRolesOf, identitiesOf, personalNamespacesOf } from './store/facts.ts'

/** Facts from other tables that are shown of users, by user id. */
export type UserFacts = {
  identities: ReadonlyMap<number, IdentityRow[]>
  /** Whether the limit of projects allows another one in the personal namespace. */
  hasRoom: ReadonlyMap<number, boolean>
  namespaceIds: ReadonlyMap<number, number>
  creators: ReadonlyMap<number, UserRow>
  highestRoles: ReadonlyMap<number, number>
  follows: ReadonlyMap<number, Follows>
  /** Custom attributes, when they are shown. */
  attributes?: ReadonlyMap<number, Attribute[]>
}

/** For levels that show nothing of other tables. */
export const withoutFacts: UserFacts = {
  identities: new Map(),
  hasRoom: new Map(),
  namespaceIds: new Map(),
  creators: new Map(),
  highestRoles: new Map(),
  follows: new Map(),
}

/** Loads the facts that a level shows, for all users of a page, with a fixed number of queries. */
export async function loadUserFacts(
  db: Reader,
  level: Level,
  users: readonly UserRow[],
  reader: Actor,
): Promise<UserFacts> {
  if (users.length === 0 || !reaches(level, 'single')) return withoutFacts
  const ids = users.map(({ id }) => id)
  const readerId = reader.kind === 'user' ? reader.userId : null
  if (!reaches(level, 'own')) return { ...withoutFacts, follows: await followsOf(db, ids, readerId) }
  const creatorIds = reaches(level, 'administrator') ? users.flatMap(({ created_by_id }) => created_by_id ?? []) : []
  const [follows, identities, namespaces, creators, highestRoles] = await Promise.all([
    followsOf(db, ids, readerId),
    identitiesOf(db, ids),
    personalNamespacesOf(db, ids),
    usersByIds(db, creatorIds),
    reaches(level, 'detail') ? highestRolesOf(db, ids) : withoutFacts.highestRoles,
  ])
  return {
    follows,
    identities: Map.groupBy(identities, ({ user_id }) => user_id),
    hasRoom: new Map(namespaces.map(({ userId, hasRoom }) => [userId, hasRoom])),
    namespaceIds: new Map(namespaces.map(({ userId, id }) => [userId, id])),
    creators,
    highestRoles,
  }
}
