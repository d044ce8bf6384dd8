import { prepareQuery, type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type AccessTokenRow, accessTokens } from '../tables.ts'

export const { insert: insertAccessToken, byId: accessTokenById } = rows(accessTokens)

/** The columns of a user that decide whether a request is accepted. */
export const accountColumns = [
  'users.id as user_id',
  'users.username',
  'users.state',
  'users.is_admin',
  'users.external',
  'users.bot_kind',
  'users.confirmed_at',
  'users.removed_at',
  'users.last_activity_on',
] as const

const withAccounts = (db: Reader) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .select([
      'access_tokens.id',
      'access_tokens.kind',
      'access_tokens.scopes',
      'access_tokens.revoked',
      'access_tokens.expires_at',
      'access_tokens.last_used_at',
      ...accountColumns,
    ])

const oauthWithAccounts = (db: Reader) =>
  db
    .selectFrom('oauth_tokens')
    .innerJoin('users', 'users.id', 'oauth_tokens.user_id')
    .select([
      'oauth_tokens.id',
      'oauth_tokens.scopes',
      'oauth_tokens.revoked',
      'oauth_tokens.expires_at',
      ...accountColumns,
    ])

const byDigest = prepareQuery((db, { digest }: { digest: string }) =>
  withAccounts(db).where('access_tokens.digest', '=', digest),
)
const byId = prepareQuery((db, { id }: { id: number }) => withAccounts(db).where('access_tokens.id', '=', id))
const oauthByDigest = prepareQuery((db, { digest }: { digest: string }) =>
  oauthWithAccounts(db).where('oauth_tokens.digest', '=', digest),
)
const oauthById = prepareQuery((db, { id }: { id: number }) => oauthWithAccounts(db).where('oauth_tokens.id', '=', id))

type FoundToken = Awaited<ReturnType<typeof byDigest>>[number]
type FoundOauthToken = Awaited<ReturnType<typeof oauthByDigest>>[number]

export async function accessTokenByDigest(db: Reader, digest: string): Promise<FoundToken | undefined> {
  return (await byDigest(db, { digest }))[0]
}

export async function oauthTokenByDigest(db: Reader, digest: string): Promise<FoundOauthToken | undefined> {
  return (await oauthByDigest(db, { digest }))[0]
}

/** A token with the account that it acts as. */
export async function accountTokenById(db: Reader, id: number): Promise<FoundToken | undefined> {
  return (await byId(db, { id }))[0]
}

/** An OAuth token with the account that it acts as. */
export async function oauthTokenById(db: Reader, id: number): Promise<FoundOauthToken | undefined> {
  return (await oauthById(db, { id }))[0]
}

/** Records the use of a token. */
export async function noteUse(tx: Tx, id: number, last_used_at: string): Promise<void> {
  await tx.updateTable('access_tokens').set({ last_used_at }).where('id', '=', id).execute()
}

/** The id of a chain of rotations: that of its first token. */
export function familyOf(token: Pick<AccessTokenRow, 'id' | 'family_id'>): number {
  return token.family_id ?? token.id
}

/** What says to which family the token with a digest belongs, and whether it was revoked. */
export async function familyByDigest(
  db: Reader,
  digest: string,
): Promise<Pick<AccessTokenRow, 'id' | 'family_id' | 'revoked'> | null> {
  const query = db.selectFrom('access_tokens').select(['id', 'family_id', 'revoked']).where('digest', '=', digest)
  return (await query.executeTakeFirst()) ?? null
}

/**
 * Locks a family until the transaction ends, so that a concurrent rotation cannot issue a token that the revocation of the
 * family misses. An update without a change takes the row's lock on both engines.
 */
export async function lockFamily(tx: Tx, familyId: number): Promise<void> {
  await tx
    .updateTable('access_tokens')
    .set((eb) => ({ family_id: eb.ref('family_id') }))
    .where('id', '=', familyId)
    .execute()
}

/** @returns false when the token was revoked already */
export async function revokeAccessToken(tx: Tx, id: number): Promise<boolean> {
  const revoking = tx.updateTable('access_tokens').set({ revoked: true }).where('id', '=', id)
  return (await revoking.where('revoked', '=', false).executeTakeFirst()).numUpdatedRows > 0n
}

/** Revokes every token of a chain of rotations. */
export async function revokeFamily(tx: Tx, familyId: number): Promise<void> {
  await tx
    .updateTable('access_tokens')
    .set({ revoked: true })
    .where((eb) => eb.or([eb('id', '=', familyId), eb('family_id', '=', familyId)]))
    .where('revoked', '=', false)
    .execute()
}

/** Revokes the tokens of a user that have neither been revoked nor expired. */
export async function revokeActiveTokensOf(tx: Tx, userId: number, today: string): Promise<void> {
  await tx
    .updateTable('access_tokens')
    .set({ revoked: true })
    .where('user_id', '=', userId)
    .where('revoked', '=', false)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today)]))
    .execute()
}

/** Deletes all access tokens of a user. */
export async function deleteTokensOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('access_tokens').where('user_id', '=', userId).execute()
}
