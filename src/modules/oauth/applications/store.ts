import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type OauthApplicationRow, oauthApplications } from '../tables.ts'

export const { insert: insertApplication, byId: applicationById, remove: deleteApplication } = rows(oauthApplications)

/** A page of the applications, ordered by id. */
export async function pageOfApplications(db: Reader, page: PageRequest): Promise<Page<OauthApplicationRow>> {
  return pageOfRows(db, db.selectFrom('oauth_applications').selectAll().orderBy('id'), page)
}

/** An application by its public name. */
export async function applicationByUid(db: Reader, uid: string): Promise<OauthApplicationRow | null> {
  return (await db.selectFrom('oauth_applications').selectAll().where('uid', '=', uid).executeTakeFirst()) ?? null
}

/** @returns null when there is no such application */
export async function replaceSecret(tx: Tx, id: number, secret_digest: string): Promise<OauthApplicationRow | null> {
  const query = tx.updateTable('oauth_applications').set({ secret_digest }).where('id', '=', id)
  return (await query.returningAll().executeTakeFirst()) ?? null
}
