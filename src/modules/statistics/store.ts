import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../infra/database/index.ts'

const count = (from: RawBuilder<unknown>) => sql<number>`(select count(*) from ${from})`

const instance = {
  forks: count(sql`projects where forked_from_id is not null and pending_delete = false`),
  issues: count(sql`issues`),
  merge_requests: count(sql`merge_requests`),
  notes: count(sql`notes`),
  snippets: count(sql`snippets`),
  ssh_keys: count(sql`keys where kind = 'user'`),
  milestones: count(sql`milestones`),
  users: count(sql`users where removed_at is null`),
  projects: count(sql`projects where pending_delete = false`),
  groups: count(sql`namespaces where kind = 'group' and pending_delete = false`),
  active_users: count(sql`users where state = 'active' and bot_kind is null and removed_at is null`),
} as const

export type InstanceCount = keyof typeof instance
export const instanceCounts = Object.keys(instance) as InstanceCount[]

/** How many rows of each kind the instance has, in one query. */
export async function countInstance(db: Reader): Promise<Record<InstanceCount, number>> {
  const columns = Object.entries(instance).map(([name, counted]) => sql`${counted} as ${sql.ref(name)}`)
  const query = sql<Record<InstanceCount, number>>`select ${sql.join(columns)}`
  const [row] = (await query.execute(db as never)).rows
  return row as Record<InstanceCount, number>
}

/** How many users signed in for the last time on each of these days, in one query, by the index of these times. */
export async function countSignIns(db: Reader, days: readonly string[]): Promise<{ day: string; users: number }[]> {
  const counts = days.map((day) => {
    const [from, to] = [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`]
    return sql`select cast(${day} as text) as day, ${count(sql`users where current_sign_in_at between ${from} and ${to}`)} as users`
  })
  const query = sql<{ day: string; users: number }>`${sql.join(counts, sql` union all `)}`
  const { rows } = await query.execute(db as never)
  return rows.map(({ day, users }) => ({ day, users: Number(users) }))
}

export type Associations = {
  groups_count: number
  projects_count: number
  issues_count: number
  merge_requests_count: number
}

/** How many groups and projects a user is a direct member of, or owns, and what they wrote, in one query. */
export async function countAssociations(db: Reader, userId: number, today: string): Promise<Associations> {
  const live = sql`user_id = ${userId} and (expires_at is null or expires_at > ${today})`
  const own = sql`select id from namespaces where kind = 'user' and owner_id = ${userId}`
  const query = sql<Associations>`select
    ${count(sql`members where ${live} and namespace_id is not null`)} as groups_count,
    ${count(sql`(
      select project_id from members where ${live} and project_id is not null
      union select id from projects where namespace_id in (${own}) and pending_delete = false) reached`)} as projects_count,
    ${count(sql`issues where author_id = ${userId}`)} as issues_count,
    ${count(sql`merge_requests where author_id = ${userId}`)} as merge_requests_count`
  const [row] = (await query.execute(db as never)).rows
  return row as Associations
}

/** How many people have become members of a group or of a group below it. @param since ISO text @param most a larger count is this */
export async function countNewMembers(db: Reader, groupId: number, since: string, most: number): Promise<number> {
  const query = sql<{ count: number }>`select count(*) as count from (
    select 1 from namespace_ancestors a
    join members m on m.namespace_id = a.namespace_id and m.created_at >= ${since}
    join users u on u.id = m.user_id and u.bot_kind is null
    where a.ancestor_id = ${groupId} limit ${most}) counted`
  return Number((await query.execute(db as never)).rows[0]?.count ?? 0)
}
