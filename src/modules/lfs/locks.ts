import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now } from '../../infra/database/index.ts'
import { may } from '../projects/index.ts'
import type { LfsAccess } from './entrance.ts'
import { lfsBadRequest, lfsForbidden, lfsLocked, lfsNotFound } from './problems.ts'
import { deleteLock, insertLock, type LockFilter, type LockRow, listLocks, lockById } from './store.ts'

/** A lock as clients know it. */
export type Lock = { id: string; path: string; locked_at: string; owner: { name: string } }

/** Locks of one answer; more are told of by a cursor. */
const mostLocks = 1000
const usualLocks = 100
const longestPath = 4096

type Values = Record<string, unknown>
type LocksPage = { locks: LockRow[]; next_cursor?: string }

function present({ id, path, created_at, owner_name }: LockRow): Lock {
  return { id: String(id), path, locked_at: created_at, owner: { name: owner_name } }
}

function idOf(value: unknown): number | null {
  const text = String(value)
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** @throws LfsProblem 400 */
function pathOf({ path }: Values): string {
  if (path === undefined || path === null || path === '') throw lfsBadRequest('path is missing')
  const isFit = typeof path === 'string' && path.trim() !== '' && !path.includes('\0') && path.isWellFormed()
  if (!isFit || Buffer.byteLength(path) > longestPath) throw lfsBadRequest('path is invalid')
  return path
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Which locks are asked for; null where there can be none. */
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

/** Locks that keep people from changing a file at the same time (contract 22, x.lfs_locks_list … x.lfs_unlock). */
export type LfsLocks = ReturnType<typeof createLocks>

export function createLocks({ database, clock }: { database: Database; clock: Clock }) {
  const db = database.read

  async function page(projectId: number, filter: LockFilter, { cursor, limit }: Values): Promise<LocksPage> {
    const wanted = idOf(limit) || usualLocks
    const most = Math.min(wanted, mostLocks)
    const rows = await listLocks(db, projectId, filter, { after: idOf(cursor) ?? 0, limit: most + 1 })
    const locks = rows.slice(0, most)
    const last = rows.length > most ? locks.at(-1) : undefined
    return last ? { locks, next_cursor: String(last.id) } : { locks }
  }

  /** @throws LfsProblem 403 for callers who are nobody in particular */
  function ownerOf({ userId }: LfsAccess): number {
    if (userId === null) throw lfsForbidden()
    return userId
  }

  /** Ends a lock, unless it is somebody else's. @throws LfsProblem 403 */
  function requireRight({ actor, project }: LfsAccess, lock: LockRow, userId: number, isForced: boolean): void {
    if (lock.user_id === userId) return
    if (!isForced) throw lfsForbidden(`${lock.path} is locked by GitLab User ${lock.user_id}`)
    if (!may(actor, project, 'admin_project')) {
      throw lfsForbidden('You must have maintainer access to force delete a lock')
    }
  }

  return {
    /** Locks by id, all of them or those of a path. */
    async list({ project }: LfsAccess, query: Values) {
      const filter = filterOf(query)
      if (filter === null) return { locks: [] }
      const { locks, ...rest } = await page(project.id, filter, query)
      return { locks: locks.map(present), ...rest }
    },

    /** Locks a file. @throws LfsProblem 400, 403; 409 when somebody has locked it */
    async create(access: LfsAccess, body: Values): Promise<{ lock: Lock }> {
      const [userId, path, projectId] = [ownerOf(access), pathOf(body), access.project.id]
      const lock = { projectId, userId, path, now: now(clock) }
      for (;;) {
        const id = await database
          .write((tx) => insertLock(tx, lock))
          .catch((error) => {
            if (isUniqueViolation(error, 'lfs_file_locks_path_unique')) return null
            throw error
          })
        const row = id === null ? undefined : await lockById(db, projectId, id)
        if (row) return { lock: present(row) }
        const [held] = await listLocks(db, projectId, { path }, { after: 0, limit: 1 })
        if (held) throw lfsLocked(present(held))
      }
    },

    /** The caller's own locks, and those of others. */
    async verify(access: LfsAccess, body: Values) {
      const userId = ownerOf(access)
      const { locks, ...rest } = await page(access.project.id, {}, body)
      const [ours, theirs] = [true, false].map((isOwn) =>
        locks.filter((lock) => (lock.user_id === userId) === isOwn).map(present),
      )
      return { ours, theirs, ...rest }
    },

    /** Ends a lock. @throws LfsProblem 403 for somebody else's, 404 when there is none */
    async unlock(access: LfsAccess, idText: string, { force }: Values): Promise<{ lock: Lock }> {
      const userId = ownerOf(access)
      const id = idOf(idText)
      const lock = id === null ? null : await lockById(db, access.project.id, id)
      if (!lock) throw lfsNotFound('Lock not found')
      requireRight(access, lock, userId, force === true || force === 'true')
      const wasThere = await database.write((tx) => deleteLock(tx, access.project.id, lock.id))
      if (!wasThere) throw lfsNotFound('Lock not found')
      return { lock: present(lock) }
    },
  }
}
