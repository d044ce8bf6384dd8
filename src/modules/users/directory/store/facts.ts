import { sql } from 'kysely'
import { prepareQuery, type Reader, within } from '../../../../infra/database/index.ts'
import type { IdentityRow } from '../../tables.ts'

type Ids = { ids: readonly number[] }

/**
 * Counting the projects of a namespace takes time in proportion to their number, so they are counted only for users whose
 * limit is not above the number of all projects. The largest id is an upper bound of that number.
 */
const namespaces = prepareQuery((db, { ids }: Ids) =>
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
    .where('namespaces.kind', '=', 'user')
    .where(within(db, 'namespaces.owner_id', ids)),
)

const identities = prepareQuery((db, { ids }: Ids) =>
  db
    .selectFrom('identities')
    .selectAll()
    .where(within(db, 'identities.user_id', ids))
    .orderBy('id'),
)

/** The personal namespaces of users, and whether the limit of projects allows another one. */
export async function personalNamespacesOf(db: Reader, ids: readonly number[]) {
  const rows = await namespaces(db, { ids })
  return rows.map(({ id, user_id, has_room }) => ({ id, userId: user_id, hasRoom: has_room === 1 }))
}

export async function identitiesOf(db: Reader, ids: readonly number[]): Promise<IdentityRow[]> {
  return identities(db, { ids })
}

/** The highest access level of each user in any group or project. */
export async function highestRolesOf(db: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('members')
    .select(['user_id', sql<number>`max(access_level)`.as('level')])
    .where(within(db, 'members.user_id', ids))
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, level }) => [user_id, level]))
}
