import { type RawBuilder, sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../../infra/database/index.ts'

/** Whether a user is a member of no project and has none of their own. @param id the column of the id */
export const isWithoutProjects = (id: string): RawBuilder<boolean> => sql<boolean>`(
    not exists (select 1 from members m where m.user_id = ${sql.ref(id)} and m.project_id is not null)
    and not exists (
      select 1 from namespaces n join projects p on p.namespace_id = n.id
      where n.kind = 'user' and n.owner_id = ${sql.ref(id)}))`

/**
 * Removes records, of those with these ids, of users who have a project or no longer exist. When a user loses the last project meanwhile,
 * another record says so.
 */
export async function removeRefuted(tx: Tx, ids: readonly number[]): Promise<void> {
  const isTrue = sql<boolean>`exists (select 1 from users u where u.id = users_perhaps_without_projects.user_id
    and ${isWithoutProjects('u.id')})`
  const records = tx.deleteFrom('users_perhaps_without_projects')
  await records
    .where(within(tx, 'users_perhaps_without_projects.id', ids))
    .where((eb) => eb.not(isTrue))
    .execute()
}

/** The next users, each with whether the user has no project and is not recorded. */
export function unrecordedAfter(db: Reader, afterId: number, limit: number) {
  const isMissing = sql<boolean>`(${isWithoutProjects('users.id')} and not exists (
    select 1 from users_perhaps_without_projects c where c.user_id = users.id))`
  const query = db
    .selectFrom('users')
    .select(['id', isMissing.as('is_missing')])
    .where('id', '>', afterId)
  return query.orderBy('id').limit(limit).execute()
}
