import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import { role } from '../policy.ts'
import { live } from './roles.ts'

/** A group that no other person could administer without one of its owners. */
export type DependentGroup = {
  id: number
  /** Whether it has no other owner of any kind: neither a person who may not use the account now, nor a service account. */
  isAlone: boolean
}

/**
 * The groups that a user owns, and besides which no person with an active account does, by inheritance included. Programs do not
 * count: no person could administer a group whose only owner is one (contract 21, R9).
 * @param groupId only this group
 */
export async function groupsDependingOn(
  db: Reader,
  userId: number,
  today: string,
  groupId?: number,
): Promise<DependentGroup[]> {
  const ofGroup = groupId === undefined ? sql`` : sql`and own.namespace_id = ${groupId}`
  const { rows } = await sql<{ id: number; others: number | string }>`
    select own.namespace_id as id, max(case
      when u.bot_kind is null and u.state = 'active' then 2
      when u.bot_kind is null or u.bot_kind = 'service_account' then case when u.id is null then 0 else 1 end
      else 0 end) as others
    from members own
      left join namespace_ancestors a on a.namespace_id = own.namespace_id
      left join members m on m.namespace_id = a.ancestor_id and m.user_id <> own.user_id
        and m.access_level = ${sql.lit(role.owner)} and ${live('m', today)}
      left join users u on u.id = m.user_id and u.removed_at is null
    where own.user_id = ${userId} and own.namespace_id is not null
      and own.access_level = ${sql.lit(role.owner)} and ${live('own', today)} ${ofGroup}
    group by own.namespace_id
    order by own.namespace_id`.execute(db as never)
  return rows.flatMap(({ id, others }) => (Number(others) === 2 ? [] : { id, isAlone: Number(others) === 0 }))
}
