import { type Actor, dayOf } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import {
  type ByteRange,
  type Content,
  ObjectError,
  type OpenedObject,
  parseStorageKey,
  type StorageKey,
  storageKey,
} from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { type Platform, type RecordImported, react } from '../../../platform/index.ts'
import { canSee, may, type Project, projectById, withRole } from '../../projects/index.ts'
import { lfsMismatch, lfsNotFound, lfsProblem } from '../problems.ts'
import type { LfsObjectRow } from '../tables.ts'
import type { Pointer } from './pointer.ts'
import { holdObject, linkObjects, moveObject, objectByOid, objectsOf } from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** Objects were stored for a project, or given to one. */
    'lfs_objects.stored': { objectIds: readonly number[] }
    'lfs_objects.removed': { objectIds: readonly number[] }
  }
}

/** Storage keys of LFS objects begin with it. */
export const lfsPrefix = storageKey('lfs')

/** The longest chain of forks that is followed. */
const maximumSources = 20

/** A storage key that was never used before: a removal that is still running cannot delete a returned object. */
function newKey(oid: string): StorageKey {
  return storageKey('lfs', oid.slice(0, 2), oid.slice(2, 4), `${oid}-${randomHex(8)}`)
}

function storeFailure(error: unknown): unknown {
  if (!(error instanceof ObjectError)) return error
  if (error.code === 'digest_mismatch' || error.code === 'size_mismatch') return lfsMismatch()
  if (error.code === 'storage_full') return lfsProblem('storage_full', 507, 'Insufficient storage')
  return error
}

const byOid = (rows: readonly LfsObjectRow[]) => new Map(rows.map((row) => [row.oid, row]))

/** Those of the objects that the project has, by oid. */
export async function objectsOfProject(
  { database }: Platform,
  project: { id: number },
  oids: readonly string[],
): Promise<Map<string, LfsObjectRow>> {
  return byOid(await objectsOf(database.read, [project.id], oids))
}

/** Ids of the projects that one was forked from, nearest first, as far as the actor may read their code. */
async function readableSources({ database, clock }: Platform, project: Project, actor: Actor): Promise<number[]> {
  const found: number[] = []
  const today = dayOf(clock.now())
  let next = project.forked_from_id
  for (let step = 0; next !== null && step < maximumSources; step += 1) {
    const row = await projectById(database.read, next)
    if (!row) break
    const source = row.pending_delete ? null : await withRole(database.read, row, actor, today)
    if (source && canSee(actor, source) && may(actor, source, 'read_code')) found.push(row.id)
    next = row.forked_from_id
  }
  return found
}

/** Those of the objects that a source of this fork has, as far as the actor may read the source, by oid. */
export async function objectsOfSources(
  platform: Platform,
  { project, actor }: { project: Project; actor: Actor },
  oids: readonly string[],
): Promise<Map<string, LfsObjectRow>> {
  if (oids.length === 0 || project.forked_from_id === null) return new Map()
  const sources = await readableSources(platform, project, actor)
  return byOid(await objectsOf(platform.database.read, sources, oids))
}

async function isStored({ objects }: Platform, { storage_key: key, size_bytes: size }: LfsObjectRow): Promise<boolean> {
  return (await objects.head(parseStorageKey(key)))?.sizeBytes === size
}

/** Those of the objects whose bytes are in the object store. */
export async function storedObjects(platform: Platform, rows: readonly LfsObjectRow[]): Promise<LfsObjectRow[]> {
  const stored = await Promise.all(rows.map((row) => isStored(platform, row)))
  return rows.filter((_, index) => stored[index])
}

/** Gives a project objects of another one without an upload. The caller has checked that it may read them. */
export async function shareObjects(
  platform: Platform,
  project: { id: number },
  rows: readonly LfsObjectRow[],
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await platform.database.write(async (tx) => {
    await linkObjects(tx, project.id, ids)
    await react(platform, tx, 'lfs_objects.stored', { objectIds: ids })
  })
}

/** An upload whose bytes are stored. `lostKey`: the key of an object row whose bytes are missing. */
type Upload = { pointer: Pointer; key: StorageKey; lostKey: string | null; now: string }

/** Links an uploaded object to the project. @returns the key of bytes that are not needed */
async function linkUpload(
  platform: Platform,
  tx: Tx,
  project: { id: number },
  { pointer, key, lostKey, now: moment }: Upload,
) {
  const row = await projectById(tx, project.id)
  if (!row || row.pending_delete) throw lfsNotFound()
  const held = await holdObject(tx, { ...pointer, storageKey: key, now: moment })
  await linkObjects(tx, project.id, [held.id])
  await react(platform, tx, 'lfs_objects.stored', { objectIds: [held.id] })
  if (held.storage_key === key) return null
  if (held.storage_key !== lostKey) return key
  // The upload restores bytes that were missing.
  await moveObject(tx, held.id, key)
  return null
}

/** Stores the bytes of an object, verified while they stream. @throws LfsProblem as `storeObject` */
async function storeBytes(platform: Platform, pointer: Pointer, content: Content): Promise<Upload> {
  const { objects, database, clock } = platform
  const key = newKey(pointer.oid)
  await objects.put(key, content, { sha256: pointer.oid, sizeBytes: pointer.sizeBytes }).catch((error) => {
    throw storeFailure(error)
  })
  const known = await objectByOid(database.read, pointer.oid)
  const lostKey = known && !(await isStored(platform, known)) ? known.storage_key : null
  return { pointer, key, lostKey, now: now(clock) }
}

/**
 * Stores the bytes of an imported object; the returned function links it to the project. Bytes that are not needed are removed by the
 * clean-up of those without a row.
 * @throws LfsProblem as `storeObject`
 */
export async function importedObject(
  platform: Platform,
  project: { id: number },
  pointer: Pointer,
  content: Content,
): Promise<RecordImported> {
  const upload = await storeBytes(platform, pointer, content)
  return async (tx) => {
    await linkUpload(platform, tx, project, upload)
  }
}

/**
 * Stores an object and links it to the project. The digest is verified while the content streams, also when the object
 * exists: naming a digest must not give access to its bytes.
 * @throws LfsProblem 400 for other bytes than announced, 404 when the project is removed meanwhile, 507 on a full disk
 */
export async function storeObject(
  platform: Platform,
  project: Project,
  pointer: Pointer,
  content: Content,
): Promise<void> {
  const { objects, database } = platform
  const upload = await storeBytes(platform, pointer, content)
  // If the commit fails with an unknown outcome the bytes stay; the clean-up removes those without a row.
  const needless = await database.write((tx) => linkUpload(platform, tx, project, upload))
  if (needless !== null) await objects.delete(needless)
}

/**
 * Opens the bytes of an object; null when they are missing.
 * @throws ObjectError `range_not_satisfiable` when fewer bytes are stored than the row says
 */
export function openObject({ objects }: Platform, row: LfsObjectRow, range?: ByteRange): Promise<OpenedObject | null> {
  return objects.get(parseStorageKey(row.storage_key), { range })
}
