import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { UserRow } from '../tables.ts'

/** @returns false when the user was followed already */
export async function insertFollow(tx: Tx, followerId: number, followedId: number): Promise<boolean> {
  const inserted = await tx
    .insertInto('user_follows')
    .values({ follower_id: followerId, followed_id: followedId })
    .onConflict((conflict) => conflict.columns(['follower_id', 'followed_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** @returns false when the user was not followed */
export async function deleteFollow(tx: Tx, followerId: number, followedId: number): Promise<boolean> {
  const query = tx.deleteFrom('user_follows').where('follower_id', '=', followerId)
  return (await query.where('followed_id', '=', followedId).returning('id').executeTakeFirst()) !== undefined
}

/** The two sides of following: the column of a user's own id, and that of the others. */
const sides = {
  followers: { own: 'followed_id', other: 'follower_id' },
  following: { own: 'follower_id', other: 'followed_id' },
} as const
export type Side = keyof typeof sides

// The cross joins fix the order in SQLite, which has no statistics and would start at all users who are active.

/** A page of the active users on one side, the last who were added first. */
export async function pageOfFollows(db: Reader, side: Side, userId: number, page: PageRequest): Promise<Page<UserRow>> {
  const { own, other } = sides[side]
  const query = db
    .selectFrom('user_follows')
    .crossJoin('users')
    .whereRef('users.id', '=', `user_follows.${other}`)
    .where(`user_follows.${own}`, '=', userId)
    .where('users.removed_at', 'is', null)
    .where('users.state', '=', 'active')
  return pageOfRows(db, query.selectAll('users').orderBy('user_follows.id', 'desc'), page)
}

/** How many active users are on one side of each of these users. */
export async function countFollows(db: Reader, side: Side, userIds: readonly number[]): Promise<Map<number, number>> {
  const { own, other } = sides[side]
  const rows = await db
    .selectFrom('user_follows')
    .crossJoin('users')
    .whereRef('users.id', '=', `user_follows.${other}`)
    .select([`user_follows.${own} as id`, sql<number>`count(*)`.as('count')])
    .where(within(db, `user_follows.${own}`, userIds))
    .where('users.removed_at', 'is', null)
    .where('users.state', '=', 'active')
    .groupBy(`user_follows.${own}`)
    .execute()
  return new Map(rows.map(({ id, count }) => [id, Number(count)]))
}

/** Which of these users are followed by a user. */
export async function followedAmong(db: Reader, followerId: number, userIds: readonly number[]): Promise<Set<number>> {
  const query = db.selectFrom('user_follows').select('followed_id').where('follower_id', '=', followerId)
  const rows = await query.where(within(db, 'user_follows.followed_id', userIds)).execute()
  return new Set(rows.map(({ followed_id }) => followed_id))
}
