import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import {
  type ByteRange,
  type Content,
  ObjectError,
  type ObjectStore,
  type OpenedObject,
  parseStorageKey,
  type StorageKey,
  storageKey,
} from '../../infra/objects/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import { type Project, projectById } from '../projects/index.ts'
import type { LfsAccess } from './entrance.ts'
import { createReadableSources } from './forks.ts'
import type { Pointer } from './pointer.ts'
import { lfsMismatch, lfsNotFound, lfsProblem } from './problems.ts'
import { holdObject, linkObjects, moveObject, objectByOid, objectsOf } from './store.ts'
import type { LfsObjectRow } from './tables.ts'

export type ObjectsNeeds = { database: Database; clock: Clock; objects: ObjectStore }

/** The bytes behind pointers (contract 22, x.lfs_download, x.lfs_upload). */
export type LfsObjects = ReturnType<typeof createLfsObjects>

/** Where all of them lie. */
export const placeOfObjects = storageKey('lfs')

/** A place that nothing else has had: what a removal is still busy with is never an object that has come back. */
function newPlace(oid: string): StorageKey {
  return storageKey('lfs', oid.slice(0, 2), oid.slice(2, 4), `${oid}-${randomHex(8)}`)
}

function storeFailure(error: unknown): unknown {
  if (!(error instanceof ObjectError)) return error
  if (error.code === 'digest_mismatch' || error.code === 'size_mismatch') return lfsMismatch()
  if (error.code === 'storage_full') return lfsProblem('storage_full', 507, 'Insufficient storage')
  return error
}

export function createLfsObjects({ database, clock, objects }: ObjectsNeeds) {
  const db = database.read
  const readableSources = createReadableSources({ database, clock })

  async function isWhole({ storage_key: key, size_bytes: size }: LfsObjectRow): Promise<boolean> {
    return (await objects.head(parseStorageKey(key)))?.sizeBytes === size
  }

  /** Gives the project an object whose bytes have come. @returns the place of bytes that are not needed */
  async function keep(tx: Tx, project: Project, pointer: Pointer, place: StorageKey, lost: string | null) {
    const row = await projectById(tx, project.id)
    if (!row || row.pending_delete) throw lfsNotFound()
    const held = await holdObject(tx, { ...pointer, storageKey: place, now: now(clock) })
    await linkObjects(tx, project.id, [held.id])
    if (held.storage_key === place) return null
    // Bytes that have got lost come back with whoever has them.
    if (held.storage_key !== lost) return place
    await moveObject(tx, held.id, place)
    return null
  }

  return {
    /** Which of these objects the project has, by oid. */
    async ownedBy(project: { id: number }, oids: readonly string[]): Promise<Map<string, LfsObjectRow>> {
      const rows = await objectsOf(db, [project.id], oids)
      return new Map(rows.map((row) => [row.oid, row]))
    },

    /** Which of these objects a project has from which this one was forked, as far as whoever asks may read it. */
    async inSources({ project, actor }: LfsAccess, oids: readonly string[]): Promise<Map<string, LfsObjectRow>> {
      if (oids.length === 0 || project.forked_from_id === null) return new Map()
      const rows = await objectsOf(db, await readableSources(project, actor), oids)
      return new Map(rows.map((row) => [row.oid, row]))
    },

    /** Those of these whose bytes are really there. */
    async whole(rows: readonly LfsObjectRow[]): Promise<LfsObjectRow[]> {
      const found = await Promise.all(rows.map(isWhole))
      return rows.filter((_, index) => found[index])
    },

    /** Gives a project objects that it may have without their bytes being sent again. */
    async share(project: { id: number }, rows: readonly LfsObjectRow[]): Promise<void> {
      if (rows.length === 0) return
      const ids = rows.map(({ id }) => id)
      await database.write((tx) => linkObjects(tx, project.id, ids))
    },

    /**
     * Stores an object, looked at while it streams, and gives it to the project. Whoever has no bytes gets nothing by naming
     * them, so they are read to the end also where they are there already.
     * @throws LfsProblem 400 when they are not what was said, 404 when the project goes meanwhile, 507 on a full disk
     */
    async store(project: Project, pointer: Pointer, content: Content): Promise<void> {
      const place = newPlace(pointer.oid)
      await objects.put(place, content, { sha256: pointer.oid, sizeBytes: pointer.sizeBytes }).catch((error) => {
        throw storeFailure(error)
      })
      const known = await objectByOid(db, pointer.oid)
      const lost = known && !(await isWhole(known)) ? known.storage_key : null
      // Should this fail, nobody can say whether it was written: what nobody knows of is removed later.
      const needless = await database.write((tx) => keep(tx, project, pointer, place, lost))
      if (needless !== null) await objects.delete(needless)
    },

    /**
     * The bytes of an object; null when they are not there.
     * @throws ObjectError `range_not_satisfiable`
     */
    open: (row: LfsObjectRow, range?: ByteRange): Promise<OpenedObject | null> =>
      objects.get(parseStorageKey(row.storage_key), { range }),
  }
}
