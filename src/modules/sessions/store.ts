import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { prepareQuery, type Reader, rows, type Tx } from '../../infra/database/index.ts'
import { accountColumns } from '../tokens/index.ts'
import { type SessionRow, sessions } from './tables.ts'

export const { insert: insertSession, byId: sessionById, remove: deleteSession } = rows(sessions)

const factorColumns = ['users.two_factor_enabled', 'users.second_factor_demanded_at'] as const

const byDigest = prepareQuery((db, { digest }: { digest: string }) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select([...accountColumns, ...factorColumns])
    .where('sessions.digest', '=', digest),
)

/** A session with the account that it is one of. */
export async function sessionByDigest(db: Reader, digest: string) {
  return (await byDigest(db, { digest }))[0] ?? null
}

/** The same, of a session that is known by its id. */
export async function sessionWithAccount(db: Reader, id: number) {
  const query = db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select([...accountColumns, ...factorColumns])
  return (await query.where('sessions.id', '=', id).executeTakeFirst()) ?? null
}

export async function sessionOfUser(db: Reader, userId: number, id: number): Promise<SessionRow | null> {
  const query = db.selectFrom('sessions').selectAll().where('id', '=', id).where('user_id', '=', userId)
  return (await query.executeTakeFirst()) ?? null
}

/** A page of the sessions of a user that have not expired, the newest first. */
export async function pageOfSessions(
  db: Reader,
  userId: number,
  now: string,
  page: PageRequest,
): Promise<Page<SessionRow>> {
  const query = db.selectFrom('sessions').selectAll().where('user_id', '=', userId).where('expires_at', '>', now)
  return pageOfRows(db, query.orderBy('id', 'desc'), page)
}

type Use = Pick<SessionRow, 'last_used_at' | 'expires_at' | 'ip' | 'user_agent'>

/** Records the use of a session. @returns false when it has ended meanwhile */
export async function recordUse(tx: Tx, id: number, use: Use): Promise<boolean> {
  const updated = await tx.updateTable('sessions').set(use).where('id', '=', id).executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** Stores as whom the administrator of a session looks at the pages; null for none. */
export async function setViewed(tx: Tx, id: number, userId: number | null): Promise<void> {
  await tx.updateTable('sessions').set({ viewed_user_id: userId }).where('id', '=', id).execute()
}

export async function deleteByDigest(tx: Tx, digest: string): Promise<void> {
  await tx.deleteFrom('sessions').where('digest', '=', digest).execute()
}

/** Deletes the sessions of a user. @param keptId one that stays */
export async function deleteSessionsOf(tx: Tx, userId: number, keptId: number | null = null): Promise<void> {
  const query = tx.deleteFrom('sessions').where('user_id', '=', userId)
  await (keptId === null ? query : query.where('id', '<>', keptId)).execute()
}

export async function deleteExpired(tx: Tx, now: string): Promise<void> {
  await tx.deleteFrom('sessions').where('expires_at', '<=', now).execute()
}
