import { type Reader, rows, type Tx } from '../../infra/database/index.ts'
import { type OauthTokenRow, oauthTokens } from './tables.ts'

export const { insert: insertOauthToken } = rows(oauthTokens)

/**
 * Revokes the pair of a refresh token. Of concurrent requests, one gets the pair.
 * @returns null when there is no such pair, or it was revoked before
 */
export async function revokeByRefreshDigest(tx: Tx, digest: string): Promise<OauthTokenRow | null> {
  const revoked = await tx
    .updateTable('oauth_tokens')
    .set({ revoked: true })
    .where('refresh_digest', '=', digest)
    .where('revoked', '=', false)
    .returningAll()
    .executeTakeFirst()
  return revoked ?? null
}

/** Revokes the pair of an access token or refresh token. @param applicationId the client that got it; null for none */
export async function revokeByEitherDigest(tx: Tx, digest: string, applicationId: number | null): Promise<void> {
  await tx
    .updateTable('oauth_tokens')
    .set({ revoked: true })
    .where((eb) => eb.or([eb('digest', '=', digest), eb('refresh_digest', '=', digest)]))
    .where('application_id', applicationId === null ? 'is' : '=', applicationId)
    .execute()
}

export async function oauthTokenByDigest(db: Reader, digest: string): Promise<OauthTokenRow | null> {
  return (await db.selectFrom('oauth_tokens').selectAll().where('digest', '=', digest).executeTakeFirst()) ?? null
}

export async function oauthTokenByRefreshDigest(db: Reader, digest: string): Promise<OauthTokenRow | null> {
  const query = db.selectFrom('oauth_tokens').selectAll().where('refresh_digest', '=', digest)
  return (await query.executeTakeFirst()) ?? null
}

/** Revokes all pairs that came of one code or password. */
export async function revokeFamily(tx: Tx, family: string): Promise<void> {
  const query = tx.updateTable('oauth_tokens').set({ revoked: true }).where('family', '=', family)
  await query.where('revoked', '=', false).execute()
}

/** Deletes all OAuth tokens of a user, and what the user has authorised. */
export async function deleteOauthTokensOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('oauth_grants').where('user_id', '=', userId).execute()
  await tx.deleteFrom('oauth_tokens').where('user_id', '=', userId).execute()
}
