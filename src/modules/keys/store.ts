import { type Page, type PageRequest, pageOfIds } from '../../api/index.ts'
import { type Reader, rows, type Tx, within } from '../../infra/database/index.ts'
import { type KeyRow, keys } from './tables.ts'

export const { insert: insertKey, byId: keyById, byIds: keysByIds } = rows(keys)

/** A key of any kind by its SHA-256 fingerprint, `SHA256:…`. */
export async function keyByFingerprint(db: Reader, fingerprint: string): Promise<KeyRow | null> {
  const query = db.selectFrom('keys').selectAll().where('fingerprint_sha256', '=', fingerprint)
  return (await query.executeTakeFirst()) ?? null
}

/** A key of any kind by its MD5 fingerprint, lower-case pairs with colons; the oldest if several share it. */
export async function keyByMd5Fingerprint(db: Reader, fingerprint: string): Promise<KeyRow | null> {
  const query = db.selectFrom('keys').selectAll().where('fingerprint_md5', '=', fingerprint).orderBy('id').limit(1)
  return (await query.executeTakeFirst()) ?? null
}

/** A key of this user. */
export async function keyOfUser(db: Reader, userId: number, id: number): Promise<KeyRow | null> {
  const query = db.selectFrom('keys').selectAll().where('id', '=', id).where('user_id', '=', userId)
  return (await query.executeTakeFirst()) ?? null
}

/** Records the use of a key. */
export async function noteKeyUse(tx: Tx, id: number, moment: string): Promise<void> {
  await tx.updateTable('keys').set({ last_used_at: moment }).where('id', '=', id).execute()
}

/** Changes the title of a key. */
export async function renameKey(tx: Tx, id: number, title: string): Promise<void> {
  await tx.updateTable('keys').set({ title }).where('id', '=', id).execute()
}

/** @returns the number of keys deleted */
export async function deleteKeys(tx: Tx, ids: readonly number[]): Promise<bigint> {
  const query = tx.deleteFrom('keys').where(within(tx, 'keys.id', ids))
  return (await query.executeTakeFirst()).numDeletedRows
}

/** A page of a user's keys, ordered by id. */
export async function listKeysOfUser(db: Reader, userId: number, page: PageRequest): Promise<Page<KeyRow>> {
  // Of whole rows, PostgreSQL would look for those of one user among all, in the order of the ids.
  const own = db.selectFrom('keys').select('id').where('user_id', '=', userId).orderBy('id')
  return pageOfIds(db, own, page, (ids) => keysByIds(db, ids))
}

/** Deletes all keys of a user. */
export async function deleteKeysOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('keys').where('user_id', '=', userId).execute()
}
