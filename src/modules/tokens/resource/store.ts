import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { memberColumnOf } from '../../access/index.ts'
import type { AccessTokenRow } from '../tables.ts'

/** The project or group of a token. */
export type TokenResource = { kind: 'project' | 'group'; id: number }

/** The project or group that a token belongs to; null for a token of a user. */
export function resourceOf({ kind, project_id, namespace_id }: AccessTokenRow): TokenResource | null {
  if (kind === 'project' && project_id !== null) return { kind, id: project_id }
  if (kind === 'group' && namespace_id !== null) return { kind, id: namespace_id }
  return null
}

/** Those of the users that are bots of the project or group. */
export async function botsAmong(db: Reader, resource: TokenResource, userIds: readonly number[]): Promise<number[]> {
  const found = await db
    .selectFrom('access_tokens')
    .select('user_id')
    .distinct()
    .where(within(db, 'user_id', userIds))
    .where(memberColumnOf(resource), '=', resource.id)
    .execute()
  return found.map(({ user_id }) => user_id)
}

/** Waits for concurrent rotations of the tokens of these users (see `lockFamily`). */
export async function lockTokensOf(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx
    .updateTable('access_tokens')
    .set((eb) => ({ family_id: eb.ref('family_id') }))
    .where(within(tx, 'user_id', userIds))
    .execute()
}

/** Whether any of these users has a token that was not revoked. */
export async function haveTokens(tx: Tx, userIds: readonly number[]): Promise<boolean> {
  const query = tx
    .selectFrom('access_tokens')
    .select('id')
    .where(within(tx, 'user_id', userIds))
  return (await query.where('revoked', '=', false).limit(1).executeTakeFirst()) !== undefined
}

/** Revokes all tokens of bots, and records the present role of each bot. */
export async function revokeTokensOf(tx: Tx, resource: TokenResource, userIds: readonly number[]): Promise<void> {
  const lastLevel = sql<number | null>`coalesce((select max(members.access_level) from members
    where members.user_id = access_tokens.user_id and ${sql.ref(`members.${memberColumnOf(resource)}`)} = ${resource.id}),
    access_level)`
  await tx
    .updateTable('access_tokens')
    .set({ revoked: true, access_level: lastLevel })
    .where(within(tx, 'user_id', userIds))
    .execute()
}

/** The access level of each of these users, by user id. */
export async function memberLevels(db: Reader, resource: TokenResource, userIds: readonly number[]) {
  const members = await db
    .selectFrom('members')
    .select(['user_id', 'access_level'])
    .where(within(db, 'user_id', userIds))
    .where(memberColumnOf(resource), '=', resource.id)
    .execute()
  return new Map(members.map((member) => [member.user_id, member.access_level]))
}

/** The bots of a group and of the groups below it, by group id. */
export async function botsBelow(db: Reader, groupId: number): Promise<Map<number, number[]>> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'members.namespace_id')
    .select(['a.namespace_id', 'users.id'])
    .where('users.bot_kind', '=', 'group_bot')
    .where('a.ancestor_id', '=', groupId)
    .execute()
  const bots = Map.groupBy(rows, (row) => row.namespace_id)
  return new Map([...bots].map(([id, found]) => [id, found.map((row) => row.id)]))
}

/** The bots that are members of a project. */
export async function botsOfProject(db: Reader, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.id')
    .where('members.project_id', '=', projectId)
    .where('users.bot_kind', '=', 'project_bot')
    .execute()
  return rows.map(({ id }) => id)
}

/** A token of a project or group, without its digest. */
export type EndingToken = Pick<
  AccessTokenRow,
  'id' | 'name' | 'user_id' | 'project_id' | 'namespace_id' | 'created_at' | 'expires_at'
>

/** Tokens of the bots of projects and groups that end on a day, some after an id. */
export async function tokensEndingOn(db: Reader, day: string, afterId: number, limit: number): Promise<EndingToken[]> {
  return db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'user_id', 'project_id', 'namespace_id', 'created_at', 'expires_at'])
    .where('kind', 'in', ['project', 'group'])
    .where('revoked', '=', false)
    .where('expires_at', '=', day)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * Ids of bots of projects and groups above an id that have had no active token since a time: all of them were revoked or had
 * expired, and neither the bot nor a token of it has changed or was used.
 * @param since.day its day: a token expires at the beginning of one
 */
export async function botsWithoutActiveToken(
  db: Reader,
  since: { time: string; day: string },
  afterId: number,
  limit: number,
): Promise<number[]> {
  const found = await db
    .selectFrom('users')
    .select('users.id')
    .where('users.bot_kind', 'in', ['project_bot', 'group_bot'])
    .where('users.removed_at', 'is', null)
    .where('users.updated_at', '<', since.time)
    .where('users.id', '>', afterId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('access_tokens as t')
            .select('t.id')
            .whereRef('t.user_id', '=', 'users.id')
            .where(({ eb, or, and }) =>
              or([
                eb('t.created_at', '>=', since.time),
                eb('t.last_used_at', '>=', since.time),
                and([
                  eb('t.revoked', '=', false),
                  or([eb('t.expires_at', 'is', null), eb('t.expires_at', '>', since.day)]),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('users.id')
    .limit(limit)
    .execute()
  return found.map(({ id }) => id)
}
