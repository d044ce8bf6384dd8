import { sql } from 'kysely'
import { type Reader, within } from '../../../../infra/database/index.ts'

/** The personal namespaces of these users, each with the number of projects in it. */
export async function personalNamespacesOf(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('namespaces')
    .select(['namespaces.id', 'namespaces.owner_id'])
    .select((eb) =>
      eb
        .selectFrom('projects')
        .whereRef('projects.namespace_id', '=', 'namespaces.id')
        .select((count) => count.fn.countAll<number>().as('count'))
        .as('projects'),
    )
    .where('kind', '=', 'user')
    .where(within(db, 'namespaces.owner_id', ids))
    .execute()
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
