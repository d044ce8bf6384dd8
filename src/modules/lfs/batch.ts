import type { LfsAccess } from './entrance.ts'
import type { LfsObjects } from './objects.ts'
import { isOid, type Pointer } from './pointer.ts'
import { lfsBadRequest, lfsNotFound, lfsProblem } from './problems.ts'
import type { LfsObjectRow } from './tables.ts'
import type { LfsOperation } from './tokens.ts'

/** More objects than a client asks for at once. */
export const mostObjects = 100

type Header = Record<string, string>
type Action = { href: string; header: Header }

/** What is answered for one object: what to do next, nothing because it is there, or why not. */
export type BatchObject = {
  oid: unknown
  size: unknown
  authenticated?: true
  actions?: Partial<Record<LfsOperation, Action>>
  error?: { code: number; message: string }
}

export type Batch = { operation: LfsOperation; objects: readonly unknown[] }

/**
 * Reads the body of a batch request.
 * @throws LfsProblem 400, 404 when no object is named, 409 for another kind of digest, 413 for too many
 */
export function readBatch(body: Record<string, unknown>): Batch {
  const { operation, objects, hash_algo: algorithm = 'sha256' } = body
  if (operation !== 'download' && operation !== 'upload') throw lfsBadRequest('operation must be download or upload')
  if (objects !== undefined && objects !== null && !Array.isArray(objects)) throw lfsBadRequest('objects is invalid')
  if (algorithm !== 'sha256') throw lfsProblem('hash_algorithm', 409, 'Objects are named by their SHA-256 only')
  const named: unknown[] = Array.isArray(objects) ? objects : []
  if (named.length === 0) throw lfsNotFound()
  if (named.length > mostObjects) {
    throw lfsProblem('too_many_objects', 413, `At most ${mostObjects} objects may be asked for at once`)
  }
  return { operation, objects: named }
}

function pointerOf(object: unknown): Pointer | null {
  if (typeof object !== 'object' || object === null) return null
  const { oid, size } = object as { oid?: unknown; size?: unknown }
  return isOid(oid) && Number.isSafeInteger(size) && (size as number) >= 0 ? { oid, sizeBytes: size as number } : null
}

const refused = (code: number, message: string) => ({ error: { code, message } })
const invalid = refused(422, 'Object is invalid')
const otherSize = refused(422, 'Object has another size')
const missing = refused(404, "Object does not exist on the server or you don't have permissions to access it")

/** Tells clients where objects are to be had, and where to put them (contract 22, x.lfs_batch). */
export function createBatches({ objects, externalUrl }: { objects: LfsObjects; externalUrl: string }) {
  const place = ({ project }: LfsAccess, oid: string) =>
    `${externalUrl}/${project.full_path}.git/gitlab-lfs/objects/${oid}`

  /** The objects as they are asked for that may be had, by oid. */
  async function available(access: LfsAccess, oids: readonly string[]): Promise<Map<string, LfsObjectRow>> {
    const own = await objects.ownedBy(access.project, oids)
    const others = oids.filter((oid) => !own.has(oid))
    return new Map([...own, ...(await objects.inSources(access, others))])
  }

  /** As `available`, where bytes that have got lost count as missing; what a source has the project has from now on. */
  async function settled(access: LfsAccess, oids: readonly string[]): Promise<Map<string, LfsObjectRow>> {
    const own = await objects.whole([...(await objects.ownedBy(access.project, oids)).values()])
    const known = new Set(own.map(({ oid }) => oid))
    const others = oids.filter((oid) => !known.has(oid))
    const shared = await objects.whole([...(await objects.inSources(access, others)).values()])
    await objects.share(access.project, shared)
    return new Map([...own, ...shared].map((row) => [row.oid, row]))
  }

  function download(access: LfsAccess, oid: string, row: LfsObjectRow | undefined, header: Header) {
    if (!row) return missing
    return { authenticated: true as const, actions: { download: { href: place(access, oid), header } } }
  }

  function upload(access: LfsAccess, { oid, sizeBytes }: Pointer, row: LfsObjectRow | undefined, header: Header) {
    if (row) return {}
    const action = {
      href: `${place(access, oid)}/${sizeBytes}`,
      header: { ...header, 'Content-Type': 'application/octet-stream' },
    }
    return { authenticated: true as const, actions: { upload: action } }
  }

  /** @param authorization what the caller came with, to be sent again with each object */
  return async function answer(
    access: LfsAccess,
    { operation, objects: asked }: Batch,
    authorization: string | undefined,
  ): Promise<{ objects: BatchObject[] }> {
    const header: Header = authorization ? { Authorization: authorization } : {}
    const pointers = asked.map(pointerOf)
    const oids = [...new Set(pointers.flatMap((pointer) => pointer?.oid ?? []))]
    const rows = await (operation === 'download' ? available : settled)(access, oids)
    const answers = pointers.map((pointer): Omit<BatchObject, 'oid' | 'size'> => {
      if (!pointer) return invalid
      const row = rows.get(pointer.oid)
      if (row && row.size_bytes !== pointer.sizeBytes) return otherSize
      return operation === 'download'
        ? download(access, pointer.oid, row, header)
        : upload(access, pointer, row, header)
    })
    return {
      objects: answers.map((each, index) => {
        const { oid, size } = (asked[index] ?? {}) as { oid?: unknown; size?: unknown }
        return { oid: oid ?? null, size: size ?? null, ...each }
      }),
    }
  }
}
