import type { Insertable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import type { Reader, Tx } from '../../infra/database/index.ts'
import type { GpgKeyRow, GpgKeysTable, KeyState } from './tables.ts'

type Subkey = { fingerprint: string; key_id: string }

const inUse = (db: Reader) => db.selectFrom('gpg_keys').selectAll().where('state', '=', 'active')

/** @throws UniqueViolation of `gpg_keys_fingerprint_unique` */
export async function insertKey(tx: Tx, key: Insertable<GpgKeysTable>, subkeys: readonly Subkey[]): Promise<GpgKeyRow> {
  const row = await tx.insertInto('gpg_keys').values(key).returningAll().executeTakeFirstOrThrow()
  if (subkeys.length > 0) {
    const rows = subkeys.map((subkey) => ({ gpg_key_id: row.id, ...subkey }))
    await tx.insertInto('gpg_subkeys').values(rows).execute()
  }
  return row
}

/** The key in use with this fingerprint, of any user. */
export async function keyByFingerprint(db: Reader, fingerprint: string): Promise<GpgKeyRow | null> {
  return (await inUse(db).where('fingerprint', '=', fingerprint).executeTakeFirst()) ?? null
}

/** A key in use of this user. */
export async function keyOfUser(db: Reader, userId: number, id: number): Promise<GpgKeyRow | null> {
  return (await inUse(db).where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()) ?? null
}

/** A page of the keys in use of a user, ordered by id. */
export async function pageOfKeys(db: Reader, userId: number, page: PageRequest): Promise<Page<GpgKeyRow>> {
  return pageOfRows(db, inUse(db).where('user_id', '=', userId).orderBy('id'), page)
}

/**
 * Ends the use of a key. Of the keys with this fingerprint that the user has removed or revoked before, none remains.
 * @returns false when a concurrent request has ended it
 */
export async function endKey(
  tx: Tx,
  { id, user_id, fingerprint }: GpgKeyRow,
  state: Exclude<KeyState, 'active'>,
  ended_at: string,
): Promise<boolean> {
  const query = tx.updateTable('gpg_keys').set({ state, ended_at }).where('id', '=', id).where('state', '=', 'active')
  if (!(await query.returning('id').executeTakeFirst())) return false
  const earlier = tx.deleteFrom('gpg_keys').where('user_id', '=', user_id).where('fingerprint', '=', fingerprint)
  await earlier.where('state', '<>', 'active').where('id', '<>', id).execute()
  return true
}

/** A key that may have made a signature. */
export type Candidate = { key: GpgKeyRow; subkeyId: number | null }

/** More keys with one key id are an attack. */
const mostCandidates = 20

/** The keys with this key id, or with a subkey that has it; those in use first. */
export async function keysOfKeyId(db: Reader, keyId: string): Promise<Candidate[]> {
  const primary = await db
    .selectFrom('gpg_keys')
    .selectAll()
    .where('key_id', '=', keyId)
    .orderBy('state')
    .orderBy('id', 'desc')
    .limit(mostCandidates)
    .execute()
  const subkeys = await db
    .selectFrom('gpg_subkeys')
    .innerJoin('gpg_keys', 'gpg_keys.id', 'gpg_subkeys.gpg_key_id')
    .selectAll('gpg_keys')
    .select('gpg_subkeys.id as subkey_id')
    .where('gpg_subkeys.key_id', '=', keyId)
    .orderBy('gpg_keys.state')
    .orderBy('gpg_subkeys.id', 'desc')
    .limit(mostCandidates)
    .execute()
  return [
    ...primary.map((key) => ({ key, subkeyId: null })),
    ...subkeys.map(({ subkey_id, ...key }) => ({ key, subkeyId: subkey_id })),
  ]
}

/** Deletes all keys of a user, also those that stayed for their signatures. */
export async function deleteGpgKeysOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('gpg_keys').where('user_id', '=', userId).execute()
}
