import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { anyContains, lockClause, type Reader, type Tx } from '../../infra/database/index.ts'
import { live, type MemberRow, membershipsBelow, role } from '../access/index.ts'
import { subtreeOf } from '../namespaces/index.ts'
import { isPresent } from '../users/index.ts'

/** What orders a list: the text after `order by`, before the id. Users without a value are last. */
const orders = {
  access_level_asc: 'seats.access_level asc',
  access_level_desc: 'seats.access_level desc',
  last_joined: 'seats.created_at desc',
  oldest_joined: 'seats.created_at asc',
  name_asc: 'users.name asc',
  name_desc: 'users.name desc',
  oldest_sign_in: 'users.current_sign_in_at asc nulls last',
  recent_sign_in: 'users.current_sign_in_at desc nulls last',
  last_activity_on_asc: 'users.last_activity_on asc nulls last',
  last_activity_on_desc: 'users.last_activity_on desc nulls last',
} as const satisfies Record<string, string>

export type Sort = keyof typeof orders
export const sorts = Object.keys(orders) as Sort[]

/** A user who takes a seat: where the nearest membership is (`membershipOrigins`), and the highest level. */
export type Seat = { user_id: number; origin: number }

/** @property least the lowest level that takes a seat */
export type Counting = { today: string; least: number }

/** The people who take a seat in a group and below it, each once. @param userId only this one */
function seatsIn(db: Reader, groupId: number, counting: Counting, userId?: number) {
  const all = membershipsBelow(db, groupId, { ...counting, userId })
  const seats: RawBuilder<Seat & { access_level: number; created_at: string }> = sql`
    (select user_id, min(origin) as origin, max(access_level) as access_level, max(created_at) as created_at
      from (${all}) memberships group by user_id)`
  return db
    .selectFrom(seats.as('seats'))
    .innerJoin('users', 'users.id', 'seats.user_id')
    .select(['seats.user_id', 'seats.origin'])
    .where(sql<boolean>`users.bot_kind is null and users.state = 'active'`)
    .where(isPresent('users.id'))
}

/** A page of the people who take a seat in a group and below it. */
export async function pageOfSeats(
  db: Reader,
  groupId: number,
  counting: Counting,
  { search, sort }: { search?: string | undefined; sort?: Sort | undefined },
  page: PageRequest,
): Promise<Page<Seat>> {
  let query = seatsIn(db, groupId, counting)
  if (search) query = query.where(anyContains(['users.name', 'users.username', 'users.public_email'], search))
  if (sort) query = query.orderBy(sql.raw(orders[sort]))
  return pageOfRows(db, query.orderBy('seats.user_id'), page)
}

/** Whether a user takes a seat in a group or below it. */
export async function hasSeat(db: Reader, groupId: number, counting: Counting, userId: number): Promise<boolean> {
  return (await seatsIn(db, groupId, counting, userId).executeTakeFirst()) !== undefined
}

/** The people who own a group itself; two of them at most. */
export async function firstOwners(db: Reader, groupId: number, today: string): Promise<number[]> {
  const query = db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('members.user_id')
    .where('members.namespace_id', '=', groupId)
    .where('members.access_level', '=', role.owner)
    .where(live('members', today))
    .where(sql<boolean>`users.bot_kind is null and users.state = 'active'`)
    .where(isPresent('users.id'))
  return (await query.limit(2).execute()).map(({ user_id }) => user_id)
}

/** The direct memberships of a user in a group and below it. */
function directIn(db: Reader, groupId: number, userId: number, today: string) {
  const groups = subtreeOf(groupId)
  return db
    .selectFrom('members')
    .where('members.user_id', '=', userId)
    .where(live('members', today))
    .where((eb) =>
      eb.or([
        eb('members.namespace_id', 'in', groups),
        eb('members.project_id', 'in', eb.selectFrom('projects').select('id').where('namespace_id', 'in', groups)),
      ]),
    )
}

/** A direct membership, with what it is in. */
export type PlacedMembership = MemberRow & { kind: 'group' | 'project'; full_path: string; full_name: string }

/** A page of the direct memberships of a user in a group and below it, by id. */
export async function pageOfDirect(
  db: Reader,
  groupId: number,
  userId: number,
  today: string,
  page: PageRequest,
): Promise<Page<PlacedMembership>> {
  const query = directIn(db, groupId, userId, today)
    .leftJoin('projects as project', 'project.id', 'members.project_id')
    .leftJoin('namespaces as namespace', (join) =>
      join.on(sql<boolean>`namespace.id = coalesce(project.namespace_id, members.namespace_id)`),
    )
    .selectAll('members')
    .select(sql<string>`coalesce(project.full_path, namespace.full_path)`.as('full_path'))
    .select(
      sql<string>`case when project.id is null then namespace.full_name
        else namespace.full_name || ' / ' || project.name end`.as('full_name'),
    )
    .select(sql<'group' | 'project'>`case when members.project_id is null then 'group' else 'project' end`.as('kind'))
  return pageOfRows(db, query.orderBy('members.id'), page)
}

/** All of them, locked until the transaction ends. */
export async function holdDirect(tx: Tx, groupId: number, userId: number, today: string): Promise<MemberRow[]> {
  const query = directIn(tx, groupId, userId, today).selectAll('members')
  return query.orderBy('members.id').modifyEnd(lockClause(tx)).execute()
}
