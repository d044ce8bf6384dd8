import { sql } from 'kysely'
import { prepareQueryOfIds, type Reader } from '../../../../infra/database/index.ts'
import type { IdentityRow } from '../../tables.ts'

/**
 * Counting the projects of a namespace takes time in proportion to their number, so they are counted only for users whose
 * limit is not above the number of all projects. The largest id is an upper bound of that number.
 */
const namespaces = prepareQueryOfIds('namespaces.owner_id', (db, isOfUser) =>
  db
    .selectFrom('namespaces')
    .innerJoin('users', 'users.id', 'namespaces.owner_id')
    .select(['namespaces.id', 'users.id as user_id'])
    .select(
      sql<number>`case
        when users.projects_limit > (select coalesce(max(projects.id), 0) from projects) then 1
        when users.projects_limit > (select count(*) from projects where projects.namespace_id = namespaces.id) then 1
        else 0 end`.as('has_room'),
    )
    // Only namespaces of users have an owner. A condition on the kind would make SQLite read all of them.
    .where(isOfUser),
)

const identities = prepareQueryOfIds('identities.user_id', (db, isOfUser) =>
  db.selectFrom('identities').selectAll().where(isOfUser).orderBy('id'),
)

/** The personal namespaces of users, and whether the limit of projects allows another one. */
export async function personalNamespacesOf(db: Reader, ids: readonly number[]) {
  const rows = await namespaces(db, ids, {})
  return rows.map(({ id, user_id, has_room }) => ({ id, userId: user_id, hasRoom: has_room === 1 }))
}

export async function identitiesOf(db: Reader, ids: readonly number[]): Promise<IdentityRow[]> {
  return identities(db, ids, {})
}

const highestRoles = prepareQueryOfIds('users.id', (db, isUser) =>
  db
    .selectFrom('users')
    .select('users.id')
    .select(
      sql<number | null>`(select max(members.access_level) from members where members.user_id = users.id)`.as('level'),
    )
    .where(isUser),
)

/** The highest access level of each user in any group or project: the last entry of the user in an index. */
export async function highestRolesOf(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await highestRoles(db, ids, {})
  return new Map(rows.flatMap(({ id, level }) => (level === null ? [] : [[id, level] as const])))
}
