import { type Reader, type Tx, textDigest } from '../../../infra/database/index.ts'
import type { LfsFileLockRow } from '../tables.ts'

/** A lock with the name of its owner. */
export type LockRow = LfsFileLockRow & { owner_name: string }

function locks(db: Reader) {
  return db
    .selectFrom('lfs_file_locks')
    .innerJoin('users', 'users.id', 'lfs_file_locks.user_id')
    .selectAll('lfs_file_locks')
    .select('users.name as owner_name')
}

/** Selects locks; all of a project by default. */
export type LockFilter = { id?: number; path?: string }

/** Locks of a project in the order of ids. @param after the last id of the page before */
export async function listLocks(
  db: Reader,
  projectId: number,
  filter: LockFilter,
  page: { after: number; limit: number },
): Promise<LockRow[]> {
  let query = locks(db).where('lfs_file_locks.project_id', '=', projectId)
  if (filter.id !== undefined) query = query.where('lfs_file_locks.id', '=', filter.id)
  if (filter.path !== undefined) query = query.where('path_digest', '=', textDigest(filter.path))
  return query.where('lfs_file_locks.id', '>', page.after).orderBy('lfs_file_locks.id').limit(page.limit).execute()
}

export async function lockById(db: Reader, projectId: number, id: number): Promise<LockRow | null> {
  const query = locks(db).where('lfs_file_locks.project_id', '=', projectId).where('lfs_file_locks.id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}

/** @throws UniqueViolation of `lfs_file_locks_path_unique` */
export async function insertLock(
  tx: Tx,
  lock: { projectId: number; userId: number; path: string; now: string },
): Promise<number> {
  const { projectId: project_id, userId: user_id, path, now: created_at } = lock
  const row = { project_id, user_id, path, path_digest: textDigest(path), created_at }
  return (await tx.insertInto('lfs_file_locks').values(row).returning('id').executeTakeFirstOrThrow()).id
}

/** @returns whether the lock existed */
export async function deleteLock(tx: Tx, projectId: number, id: number): Promise<boolean> {
  const query = tx.deleteFrom('lfs_file_locks').where('project_id', '=', projectId).where('id', '=', id)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}
