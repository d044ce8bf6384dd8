import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, type Tx, within } from '../../infra/database/index.ts'
import { type MemberSource, memberColumnOf } from '../access/index.ts'
import type { AccessRequestRow } from './tables.ts'

type Source = Pick<MemberSource, 'kind' | 'id'>

const requestsFor = (db: Reader, source: Source) =>
  db.selectFrom('access_requests').selectAll().where(memberColumnOf(source), '=', source.id)

/** A page of the requests to join a project or group, oldest first. */
export async function pageOfRequests(db: Reader, source: Source, page: PageRequest): Promise<Page<AccessRequestRow>> {
  return pageOfRows(db, requestsFor(db, source).orderBy('created_at').orderBy('id'), page)
}

/** The request of a user. */
export async function requestOf(db: Reader, source: Source, userId: number): Promise<AccessRequestRow | null> {
  return (await requestsFor(db, source).where('user_id', '=', userId).executeTakeFirst()) ?? null
}

/** @throws UniqueViolation of `access_requests_…_unique` when the user has a request */
export async function insertRequest(
  tx: Tx,
  source: Source,
  userId: number,
  createdAt: string,
): Promise<AccessRequestRow> {
  return tx
    .insertInto('access_requests')
    .values({ [memberColumnOf(source)]: source.id, user_id: userId, created_at: createdAt })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Deletes the request of a user; of two callers at once one gets the row. @returns null when there is none */
export async function takeRequest(tx: Tx, source: Source, userId: number): Promise<AccessRequestRow | null> {
  const query = tx.deleteFrom('access_requests').where(memberColumnOf(source), '=', source.id)
  return (await query.where('user_id', '=', userId).returningAll().executeTakeFirst()) ?? null
}

/** Deletes the requests of users who have become members of what they asked for. */
export async function deleteRequestsOfMembers(tx: Tx, memberIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('access_requests')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('members as m')
          .select('m.id')
          .where(within(tx, 'm.id', memberIds))
          .whereRef('m.user_id', '=', 'access_requests.user_id')
          .where(
            sql<boolean>`(m.project_id = access_requests.project_id or m.namespace_id = access_requests.namespace_id)`,
          ),
      ),
    )
    .execute()
}
