import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { OauthSigningKeyRow } from '../tables.ts'

/** All keys, the newest first. */
export async function signingKeys(db: Reader): Promise<OauthSigningKeyRow[]> {
  return db.selectFrom('oauth_signing_keys').selectAll().orderBy('created_at', 'desc').orderBy('kid').execute()
}

export async function insertSigningKey(tx: Tx, key: OauthSigningKeyRow): Promise<void> {
  await tx.insertInto('oauth_signing_keys').values(key).execute()
}
