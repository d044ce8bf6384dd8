import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import { live, sharedLevel } from './roles.ts'

/** Where a membership gives a role: in a group or a project, or in one to which the group of the membership is invited. */
export const membershipOrigins = ['group_member', 'project_member', 'group_invite', 'project_invite'] as const

/** A membership in or below a group. `origin` is a position in `membershipOrigins`. */
type MembershipBelow = { user_id: number; origin: number; access_level: number; created_at: string }

type Options = {
  today: string
  /** The lowest level that counts. */
  least: number
  /** Only this user. */
  userId?: number | undefined
}

/** All memberships that give a role in a group, or in a group or project below it; of a user perhaps several. */
export function membershipsBelow(
  db: Reader,
  groupId: number,
  { today, least, userId }: Options,
): RawBuilder<MembershipBelow> {
  const groups = sql`(select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`
  const projects = sql`(select id from projects where namespace_id in ${groups})`
  const counts = (table: string) =>
    sql`${live(table, today)} and ${sql.ref(`${table}.access_level`)} >= ${sql.lit(least)}`
  const only = userId === undefined ? sql`` : sql`and m.user_id = ${userId}`
  const direct = (origin: number, where: RawBuilder<unknown>) =>
    sql`select m.user_id, ${sql.lit(origin)} as origin, m.access_level, m.created_at from members m
      where ${where} and ${counts('m')} ${only}`
  const invited = (origin: number, where: RawBuilder<unknown>) =>
    sql`select m.user_id, ${sql.lit(origin)}, ${sharedLevel(db, 'l', 'm')}, m.created_at from group_links l
      cross join namespace_ancestors g cross join members m
      where ${where} and g.namespace_id = l.group_id and m.namespace_id = g.ancestor_id
      and ${counts('l')} and ${counts('m')} ${only}`
  return sql<MembershipBelow>`${direct(0, sql`m.namespace_id in ${groups}`)}
    union all ${direct(1, sql`m.project_id in ${projects}`)}
    union all ${invited(2, sql`l.namespace_id in ${groups}`)}
    union all ${invited(3, sql`l.project_id in ${projects}`)}`
}
