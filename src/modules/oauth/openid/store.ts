import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { OauthSigningKeyRow } from '../tables.ts'

/** All keys, the newest first. */
export async function signingKeys(db: Reader): Promise<OauthSigningKeyRow[]> {
  return db.selectFrom('oauth_signing_keys').selectAll().orderBy('created_at', 'desc').orderBy('kid').execute()
}

export async function insertSigningKey(tx: Tx, key: OauthSigningKeyRow): Promise<void> {
  await tx.insertInto('oauth_signing_keys').values(key).execute()
}

/** Deletes the keys that were replaced before a moment: those older than one that was made before it. */
export async function deleteReplacedKeys(tx: Tx, moment: string): Promise<void> {
  const [successor] = (await signingKeys(tx)).filter(({ created_at }) => created_at < moment)
  if (!successor) return
  await tx
    .deleteFrom('oauth_signing_keys')
    .where('created_at', '<', successor.created_at)
    .where('kid', '!=', successor.kid)
    .execute()
}
