import { isUniqueViolation, now, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { may } from '../../projects/index.ts'
import type { LfsAccess } from '../access/admission.ts'
import { lfsBadRequest, lfsForbidden, lfsLocked, lfsNotFound } from '../problems.ts'
import { deleteLock, insertLock, type LockFilter, type LockRow, listLocks, lockById } from './store.ts'

const maximumLocks = 1000
const defaultLocks = 100
const maximumPathBytes = 4096

type Values = Record<string, unknown>

function present({ id, path, created_at, owner_name }: LockRow) {
  return { id: String(id), path, locked_at: created_at, owner: { name: owner_name } }
}

function idOf(value: unknown): number | null {
  const text = String(value)
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** @throws LfsProblem 400 */
function pathOf({ path }: Values): string {
  if (path === undefined || path === null || path === '') throw lfsBadRequest('path is missing')
  const isValid = typeof path === 'string' && path.trim() !== '' && !path.includes('\0') && path.isWellFormed()
  if (!isValid || Buffer.byteLength(path) > maximumPathBytes) throw lfsBadRequest('path is invalid')
  return path
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** The requested filter; null when nothing can match it. */
function filterOf({ id, path }: Values): LockFilter | null {
  const filter: LockFilter = {}
  if (isGiven(id)) {
    const number = idOf(id)
    if (number === null) return null
    filter.id = number
  }
  if (isGiven(path)) filter.path = String(path)
  return filter
}

async function pageOfLocks(db: Reader, projectId: number, filter: LockFilter, { cursor, limit }: Values) {
  const size = Math.min(idOf(limit) || defaultLocks, maximumLocks)
  const rows = await listLocks(db, projectId, filter, { after: idOf(cursor) ?? 0, limit: size + 1 })
  const locks = rows.slice(0, size)
  const last = rows.length > size ? locks.at(-1) : undefined
  return last ? { locks, next_cursor: String(last.id) } : { locks }
}

/** @throws LfsProblem 403 for callers without a user */
function ownerOf({ userId }: LfsAccess): number {
  if (userId === null) throw lfsForbidden()
  return userId
}

/** @throws LfsProblem 403 when the lock belongs to another user and the caller may not force its removal */
function requireUnlock({ actor, project }: LfsAccess, lock: LockRow, userId: number, isForced: boolean): void {
  if (lock.user_id === userId) return
  if (!isForced) throw lfsForbidden(`${lock.path} is locked by GitLab User ${lock.user_id}`)
  if (!may(actor, project, 'admin_project'))
    throw lfsForbidden('You must have maintainer access to force delete a lock')
}

/** Lists the locks of a project by id (contract 22, x.lfs_locks_list). */
export async function listProjectLocks({ database }: Platform, { project }: LfsAccess, query: Values) {
  const filter = filterOf(query)
  if (filter === null) return { locks: [] }
  const { locks, ...rest } = await pageOfLocks(database.read, project.id, filter, query)
  return { locks: locks.map(present), ...rest }
}

/** Locks a file (x.lfs_locks_create). @throws LfsProblem 400, 403; 409 when it is locked */
export async function createLock({ database, clock }: Platform, access: LfsAccess, body: Values) {
  const lock = { userId: ownerOf(access), path: pathOf(body), projectId: access.project.id, now: now(clock) }
  const { projectId, path } = lock
  for (;;) {
    const id = await database
      .write((tx) => insertLock(tx, lock))
      .catch((error) => {
        if (isUniqueViolation(error, 'lfs_file_locks_path_unique')) return null
        throw error
      })
    const row = id === null ? undefined : await lockById(database.read, projectId, id)
    if (row) return { lock: present(row) }
    const [held] = await listLocks(database.read, projectId, { path }, { after: 0, limit: 1 })
    if (held) throw lfsLocked(present(held))
    // The lock in the way was removed meanwhile.
  }
}

/** Divides locks into the caller's own and those of others (x.lfs_locks_verify). */
export async function verifyLocks({ database }: Platform, access: LfsAccess, body: Values) {
  const userId = ownerOf(access)
  const { locks, ...rest } = await pageOfLocks(database.read, access.project.id, {}, body)
  const [ours, theirs] = [true, false].map((isOwn) =>
    locks.filter((lock) => (lock.user_id === userId) === isOwn).map(present),
  )
  return { ours, theirs, ...rest }
}

/** Removes a lock (x.lfs_unlock). @throws LfsProblem 403 for the lock of another user, 404 when there is none */
export async function removeLock({ database }: Platform, access: LfsAccess, { force }: Values, idText: string) {
  const userId = ownerOf(access)
  const id = idOf(idText)
  const lock = id === null ? null : await lockById(database.read, access.project.id, id)
  if (!lock) throw lfsNotFound('Lock not found')
  requireUnlock(access, lock, userId, force === true || force === 'true')
  if (!(await database.write((tx) => deleteLock(tx, access.project.id, lock.id)))) throw lfsNotFound('Lock not found')
  return { lock: present(lock) }
}
