import { sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'

/** The groups whose only owner is this user, including owners of groups above. Bots of projects and groups do not count. */
export async function solelyOwnedGroups(db: Reader, userId: number, today: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select own.namespace_id as id from members own
    where own.user_id = ${userId} and own.namespace_id is not null and own.access_level = 50
      and (own.expires_at is null or own.expires_at > ${today})
      and not exists (
        select 1 from namespace_ancestors a
        join members m on m.namespace_id = a.ancestor_id and m.access_level = 50 and m.user_id <> ${userId}
        join users u on u.id = m.user_id and u.removed_at is null
        where a.namespace_id = own.namespace_id and (m.expires_at is null or m.expires_at > ${today})
          and (u.bot_kind is null or u.bot_kind not in ('project_bot', 'group_bot')))
    order by own.namespace_id`.execute(db as never)
  return rows.map(({ id }) => id)
}

/** Deletes the identities of a user at other providers. */
export async function deleteIdentitiesOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute()
}

/** Whether a namespace has projects, including those whose removal has begun. */
export async function hasProjects(db: Reader, namespaceId: number): Promise<boolean> {
  const query = db.selectFrom('projects').select('id').where('namespace_id', '=', namespaceId)
  return (await query.executeTakeFirst()) !== undefined
}

/** Deletes the row of a user whose removal has begun. */
export async function deleteRemovedUser(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).where('removed_at', 'is not', null).execute()
}
