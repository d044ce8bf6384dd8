import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type OauthCodeRow, type OauthGrantRow, oauthCodes, oauthGrants } from '../tables.ts'

export const { byId: grantById, remove: deleteGrant } = rows(oauthGrants)
export const { insert: insertCode } = rows(oauthCodes)

/** What a user has authorised an application to do; null for nothing. */
export async function grantOf(db: Reader, userId: number, applicationId: number): Promise<OauthGrantRow | null> {
  const query = db.selectFrom('oauth_grants').selectAll().where('user_id', '=', userId)
  return (await query.where('application_id', '=', applicationId).executeTakeFirst()) ?? null
}

type Granting = { userId: number; applicationId: number; scopes: readonly string[]; at: string }

/** Adds scopes to what a user has authorised an application to do. */
export async function addToGrant(tx: Tx, { userId, applicationId, scopes, at }: Granting): Promise<OauthGrantRow> {
  const own = { user_id: userId, application_id: applicationId, created_at: at }
  await tx
    .insertInto('oauth_grants')
    .values({ ...own, scopes: '[]', updated_at: at })
    .onConflict((conflict) => conflict.columns(['application_id', 'user_id']).doUpdateSet({ updated_at: at }))
    .execute()
  const grant = await grantOf(tx, userId, applicationId)
  if (!grant) throw new Error('a row is missing that was just written')
  const all = JSON.stringify([...new Set([...grant.scopes, ...scopes])])
  const query = tx.updateTable('oauth_grants').set({ scopes: all }).where('id', '=', grant.id)
  return query.returningAll().executeTakeFirstOrThrow()
}

/** A code with the user and the application that it is for. */
export async function codeByDigest(db: Reader, digest: string) {
  const query = db
    .selectFrom('oauth_codes')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_codes.grant_id')
    .selectAll('oauth_codes')
    .select(['oauth_grants.user_id', 'oauth_grants.application_id'])
  return (await query.where('oauth_codes.digest', '=', digest).executeTakeFirst()) ?? null
}

/** @returns null when the code has been used, or was deleted meanwhile */
export async function useCode(tx: Tx, id: number): Promise<OauthCodeRow | null> {
  const query = tx.updateTable('oauth_codes').set({ is_used: true }).where('id', '=', id).where('is_used', '=', false)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

/** Deletes codes that expired before. */
export async function deleteCodesBefore(tx: Tx, moment: string): Promise<void> {
  await tx.deleteFrom('oauth_codes').where('expires_at', '<', moment).execute()
}

/** A page of what a user has authorised, with the applications, the newest first. */
export async function pageOfGrants(db: Reader, userId: number, page: PageRequest) {
  const query = db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_applications', 'oauth_applications.id', 'oauth_grants.application_id')
    .selectAll('oauth_grants')
    .select(['oauth_applications.name', 'oauth_applications.uid'])
    .where('oauth_grants.user_id', '=', userId)
  return pageOfRows(db, query.orderBy('oauth_grants.id', 'desc'), page) as Promise<
    Page<OauthGrantRow & { name: string; uid: string }>
  >
}
