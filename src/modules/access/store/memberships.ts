import { type RawBuilder, sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import { role } from '../policy.ts'
import type { MemberRow } from '../tables.ts'
import { gives, live, sharedLevel, sharedRole } from './roles.ts'

/** A group or project, with the namespace from whose ancestors it inherits roles; of a group, its own id. */
export type MemberSource = { kind: 'group' | 'project'; id: number; namespaceId: number }

/** A membership in lists: a row, or the result of inheritance or of an invitation. */
export type Membership = Pick<
  MemberRow,
  'user_id' | 'access_level' | 'expires_at' | 'created_by_id' | 'created_at' | 'member_role_id'
>

/** The columns of a membership, of the table `members` as `m`. */
export const membershipColumns = sql.raw(
  'm.user_id, m.access_level, m.expires_at, m.created_by_id, m.created_at, m.member_role_id',
)

type EffectiveOptions = {
  today: string
  /** Only these users. */
  userIds?: readonly number[]
  /** Only users whose id is not above this one. */
  upTo?: number
  /** Of invited groups only those of these visibilities. Default: all. */
  invitedVisibilities?: readonly string[]
}

/**
 * All users with a role in a group or project, each with the membership that gives the highest: direct, inherited from the
 * groups above, through invited groups (of the resource or of a group above it), or as owner of the personal namespace. Of
 * equal levels one with a member role counts, then the nearest.
 */
export function effectiveMemberships(
  db: Reader,
  source: MemberSource,
  options: EffectiveOptions,
): RawBuilder<Membership> {
  return sql<Membership>`
    select user_id, access_level, expires_at, created_by_id, created_at, member_role_id from (
      select sources.*, row_number() over (partition by user_id order by access_level desc,
        case when member_role_id is null then 1 else 0 end, distance) as nearness
      from (${sourcesOf(db, source, options)}) sources
    ) ranked where nearness = 1`
}

/** The users with a role in a group or project, each once: `effectiveMemberships` without their levels. */
export function effectiveMembers(
  db: Reader,
  source: MemberSource,
  options: EffectiveOptions,
): RawBuilder<{ user_id: number }> {
  return sql<{ user_id: number }>`select distinct user_id from (${sourcesOf(db, source, options)}) sources`
}

/** All memberships that give a role, of a user perhaps several, each with its distance. */
function sourcesOf(db: Reader, source: MemberSource, options: EffectiveOptions): RawBuilder<unknown> {
  const { today, userIds, upTo, invitedVisibilities } = options
  const among = (column: string) => (userIds ? sql`and ${within(db, column, userIds)}` : sql``)
  const below = (column: string) => (upTo === undefined ? sql`` : sql`and ${sql.ref(column)} <= ${upTo}`)
  const only = (column: string) => sql`${among(column)} ${below(column)}`
  const isOpen = invitedVisibilities ? sql`and ${within(db, 'i.visibility', invitedVisibilities)}` : sql``
  const project = source.kind === 'project' ? source.id : null
  // Minimal access is not a role, but the group's own list of members shows it.
  const own = source.kind === 'group' ? source.id : null
  const counts = sql`(${gives('m', today)} or (m.namespace_id = ${own} and ${live('m', today)}))`
  return sql`
    select ${membershipColumns}, 0 as distance from members m
      where m.project_id = ${project} and ${gives('m', today)} ${only('m.user_id')}
    union all
    select ${membershipColumns}, 1 + a.depth from members m join namespace_ancestors a on a.ancestor_id = m.namespace_id
      where a.namespace_id = ${source.namespaceId} and ${counts} ${only('m.user_id')}
    union all
    select n.owner_id, ${sql.lit(role.owner)}, null, null, n.created_at, null, 1 from namespaces n
      where n.id = ${source.namespaceId} and n.kind = 'user' ${only('n.owner_id')}
    union all
    select m.user_id, ${sharedLevel(db, 'l', 'm')},
      case when l.expires_at is null or m.expires_at < l.expires_at then m.expires_at else l.expires_at end,
      m.created_by_id, m.created_at, ${sharedRole('l', 'm')}, 1000 from group_links l
      join namespaces i on i.id = l.group_id
      join namespace_ancestors g on g.namespace_id = l.group_id
      join members m on m.namespace_id = g.ancestor_id
      where (l.project_id = ${project} or l.namespace_id in (
        select ancestor_id from namespace_ancestors where namespace_id = ${source.namespaceId}))
      and ${gives('l', today)} and ${gives('m', today)} ${only('m.user_id')} ${isOpen}`
}

/** Which of these users have a role in a group or project, directly or not. @param least the lowest role that counts */
export async function usersWithRole(
  db: Reader,
  source: MemberSource,
  { userIds, today, least = role.guest }: { userIds: readonly number[]; today: string; least?: number },
): Promise<Set<number>> {
  if (userIds.length === 0) return new Set()
  const query = sql<{ user_id: number }>`
    select user_id from (${effectiveMemberships(db, source, { userIds, today })}) memberships
    where access_level >= ${least}
      and exists (select 1 from users where users.id = user_id and users.removed_at is null)`
  return new Set((await query.execute(db as never)).rows.map(({ user_id }) => user_id))
}
