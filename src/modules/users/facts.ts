import type { Reader } from '../../infra/database/index.ts'
import { highestRolesOf, personalNamespacesOf } from './store/facts.ts'
import { identitiesOf, usersByIds } from './store/users.ts'
import type { IdentityRow, UserRow } from './tables.ts'

/** What is shown of users and stands in other tables, by their ids. */
export type UserFacts = {
  identities: ReadonlyMap<number, IdentityRow[]>
  /** Projects in the personal namespace. */
  projectCounts: ReadonlyMap<number, number>
  namespaceIds: ReadonlyMap<number, number>
  creators: ReadonlyMap<number, UserRow>
  highestRoles: ReadonlyMap<number, number>
}

/** For what shows nothing of other tables. */
export const withoutFacts: UserFacts = {
  identities: new Map(),
  projectCounts: new Map(),
  namespaceIds: new Map(),
  creators: new Map(),
  highestRoles: new Map(),
}

/** Loads the facts of all users of a page: a fixed number of queries, however many users there are. */
export async function loadUserFacts(db: Reader, users: readonly UserRow[]): Promise<UserFacts> {
  if (users.length === 0) return withoutFacts
  const ids = users.map(({ id }) => id)
  const creatorIds = users.flatMap(({ created_by_id }) => created_by_id ?? [])
  const [identities, namespaces, creators, highestRoles] = await Promise.all([
    identitiesOf(db, ids),
    personalNamespacesOf(db, ids),
    usersByIds(db, creatorIds),
    highestRolesOf(db, ids),
  ])
  return {
    identities: Map.groupBy(identities, ({ user_id }) => user_id),
    projectCounts: new Map(namespaces.map(({ owner_id, projects }) => [owner_id ?? 0, projects ?? 0])),
    namespaceIds: new Map(namespaces.map(({ owner_id, id }) => [owner_id ?? 0, id])),
    creators,
    highestRoles,
  }
}
