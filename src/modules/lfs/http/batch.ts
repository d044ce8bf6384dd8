import type { Platform } from '../../../platform/index.ts'
import type { LfsAccess } from '../access/admission.ts'
import type { LfsOperation } from '../access/tokens.ts'
import { objectsOfProject, objectsOfSources, shareObjects, storedObjects } from '../objects/objects.ts'
import { isOid, type Pointer } from '../objects/pointer.ts'
import { lfsBadRequest, lfsNotFound, lfsProblem } from '../problems.ts'
import type { LfsObjectRow } from '../tables.ts'

/** More objects than a client requests at once. */
const maximumObjects = 100

type Header = Record<string, string>

type Batch = { operation: LfsOperation; objects: readonly unknown[] }

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
  if (named.length > maximumObjects) {
    throw lfsProblem('too_many_objects', 413, `At most ${maximumObjects} objects may be asked for at once`)
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

const urlOf = ({ externalUrl }: Platform, { project }: LfsAccess, oid: string) =>
  `${externalUrl}/${project.full_path}.git/gitlab-lfs/objects/${oid}`

/** Finds the requested objects for a download, by oid. */
async function findObjects(platform: Platform, access: LfsAccess, oids: readonly string[]) {
  const own = await objectsOfProject(platform, access.project, oids)
  const others = oids.filter((oid) => !own.has(oid))
  return new Map([...own, ...(await objectsOfSources(platform, access, others))])
}

/** Finds objects that need no upload: stored bytes of the project, or of a source, which the project shares from now on. */
async function findStored(platform: Platform, access: LfsAccess, oids: readonly string[]) {
  const owned = [...(await objectsOfProject(platform, access.project, oids)).values()]
  const own = await storedObjects(platform, owned)
  const known = new Set(own.map(({ oid }) => oid))
  const others = oids.filter((oid) => !known.has(oid))
  const shared = await storedObjects(platform, [...(await objectsOfSources(platform, access, others)).values()])
  await shareObjects(platform, access.project, shared)
  return new Map([...own, ...shared].map((row) => [row.oid, row]))
}

function download(url: string, row: LfsObjectRow | undefined, header: Header) {
  if (!row) return missing
  return { authenticated: true, actions: { download: { href: url, header } } }
}

function upload(url: string, sizeBytes: number, row: LfsObjectRow | undefined, header: Header) {
  if (row) return {}
  const action = { href: `${url}/${sizeBytes}`, header: { ...header, 'Content-Type': 'application/octet-stream' } }
  return { authenticated: true, actions: { upload: action } }
}

/**
 * Returns the next action for each object, none when it is stored already, or an error (contract 22, x.lfs_batch).
 * @param authorization header of the request, which the client has to repeat for each object
 */
export async function answerBatch(
  platform: Platform,
  access: LfsAccess,
  { operation, objects }: Batch,
  authorization: string | undefined,
) {
  const header: Header = authorization ? { Authorization: authorization } : {}
  const oids = [...new Set(objects.flatMap((object) => pointerOf(object)?.oid ?? []))]
  const isDownload = operation === 'download'
  const rows = await (isDownload ? findObjects : findStored)(platform, access, oids)
  const answers = objects.map((object) => {
    const pointer = pointerOf(object)
    if (!pointer) return invalid
    const row = rows.get(pointer.oid)
    if (row && row.size_bytes !== pointer.sizeBytes) return otherSize
    const url = urlOf(platform, access, pointer.oid)
    return isDownload ? download(url, row, header) : upload(url, pointer.sizeBytes, row, header)
  })
  return {
    objects: answers.map((answer, index) => {
      const { oid, size } = (objects[index] ?? {}) as { oid?: unknown; size?: unknown }
      return { oid: oid ?? null, size: size ?? null, ...answer }
    }),
  }
}
