import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { isFound, prepareQueryOfIds, type Reader, type Tx } from '../../../infra/database/index.ts'
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

/** The number of follows of active users: the inactive ones are looked up, whose index is small. */
function activeFollows(db: Reader, own: string, other: string): RawBuilder<number> {
  const inactive = sql`users u where u.id = f.${sql.ref(other)} and (u.state <> 'active' or u.removed_at is not null)`
  return sql<number>`(select count(*) from user_follows f
    where f.${sql.ref(own)} = users.id and not ${isFound(db, inactive)})`
}

const follows = prepareQueryOfIds('users.id', (db, isUser, { readerId }: { readerId: number }) =>
  db
    .selectFrom('users')
    .select('users.id')
    .select(activeFollows(db, 'followed_id', 'follower_id').as('followers'))
    .select(activeFollows(db, 'follower_id', 'followed_id').as('following'))
    .select(
      sql<number>`(select count(*) from user_follows r where r.follower_id = ${readerId} and r.followed_id = users.id)`.as(
        'by_reader',
      ),
    )
    .where(isUser),
)

/** The follows of a user. */
export type Follows = {
  /** How many active users follow the user, and how many the user follows. */
  followers: number
  following: number
  /** Whether the reader follows the user; undefined for an anonymous one. */
  byReader: boolean | undefined
}

/** @param readerId null for an anonymous reader */
export async function followsOf(
  db: Reader,
  userIds: readonly number[],
  readerId: number | null,
): Promise<Map<number, Follows>> {
  const rows = await follows(db, userIds, { readerId: readerId ?? 0 })
  return new Map(
    rows.map(({ id, followers, following, by_reader }) => [
      id,
      { followers, following, byReader: readerId === null ? undefined : by_reader > 0 },
    ]),
  )
}
