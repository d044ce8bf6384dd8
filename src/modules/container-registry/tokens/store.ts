import type { Insertable } from 'kysely'
import type { Reader, Tables, Tx } from '../../../infra/database/index.ts'

/** A stored key that signs registry tokens; the private key is sealed. */
export type SigningKeyRow = Tables['registry_signing_keys']

export async function signingKeyById(db: Reader, kid: string): Promise<SigningKeyRow | null> {
  const query = db.selectFrom('registry_signing_keys').selectAll().where('kid', '=', kid)
  return (await query.executeTakeFirst()) ?? null
}

/** The key that signs: the newest. */
export async function newestSigningKey(db: Reader): Promise<SigningKeyRow | null> {
  const query = db.selectFrom('registry_signing_keys').selectAll().orderBy('created_at', 'desc').orderBy('kid', 'desc')
  return (await query.limit(1).executeTakeFirst()) ?? null
}

export async function insertSigningKey(tx: Tx, key: Insertable<SigningKeyRow>): Promise<void> {
  await tx.insertInto('registry_signing_keys').values(key).execute()
}

/** Deletes all keys but one that were created before a time. */
export async function deleteSigningKeysBefore(tx: Tx, createdBefore: string, except: string): Promise<void> {
  await tx
    .deleteFrom('registry_signing_keys')
    .where('created_at', '<', createdBefore)
    .where('kid', '!=', except)
    .execute()
}
