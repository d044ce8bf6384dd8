import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import type { UserRow } from '../../tables.ts'

/**
 * Whether a row of `users` is the external user or shares a group or project with them (contract 20 R9): direct members of
 * the groups and projects that the external user is a member of, of everything below, and of the groups above. Members of
 * invited groups do not count.
 */
export function sharesMembershipWith(externalUserId: number, today: string): RawBuilder<boolean> {
  const own = sql`select * from members where user_id = ${externalUserId} and (expires_at is null or expires_at > ${today})`
  return sql<boolean>`(users.id = ${externalUserId} or users.id in (
    with own as (${own}),
    below as (select a.namespace_id as id from own join namespace_ancestors a on a.ancestor_id = own.namespace_id),
    homes as (
      select namespace_id as id from own where namespace_id is not null
      union select p.namespace_id from own join projects p on p.id = own.project_id),
    above as (select a.ancestor_id as id from homes join namespace_ancestors a on a.namespace_id = homes.id)
    select m.user_id from members m
      where m.namespace_id in (select id from below union select id from above)
      or m.project_id in (select project_id from own where project_id is not null)
      or m.project_id in (select id from projects where namespace_id in (select id from below))
    union select n.owner_id from namespaces n join above on above.id = n.id where n.kind = 'user'))`
}

/** Whether a user is visible to an external user. */
export async function isKnownToExternal(
  db: Reader,
  user: UserRow,
  externalUserId: number,
  today: string,
): Promise<boolean> {
  const query = db
    .selectFrom('users')
    .select('id')
    .where('id', '=', user.id)
    .where(sharesMembershipWith(externalUserId, today))
  return (await query.executeTakeFirst()) !== undefined
}
