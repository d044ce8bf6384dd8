import {
  ApiError,
  forbidden,
  type Raw,
  type RequestInfo,
  rangeNotSatisfiable,
  recordNotFound,
  requestedRange,
} from '../../../api/index.ts'
import type { StorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  blobKey,
  blobsOf,
  containerRepository,
  manifestOf,
  manifestsOf,
  parseDigest,
  repositoryHasBlob,
  tagsOf,
} from '../../container-registry/index.ts'
import { currentChecksum } from '../feed/store.ts'
import { ContentMissing, checksumOfObject, keyOfFile } from '../replicables/checksum.ts'
import { scopeOf, standingOf } from '../replicables/store.ts'
import type { NodeRow } from '../tables.ts'
import { classOf, type FileType, isFileType, type ReplicableType } from '../types.ts'
import { requireType } from './events.ts'

const fileGone = () => new ApiError('file_not_found', 404, { geo_code: 'FILE_NOT_FOUND', message: '404 Not found' })

/** @throws ApiError 404 for an unknown type or item; 403 for one that the node does not copy */
export async function requireSelected(
  platform: Platform,
  node: NodeRow,
  type: string,
  id: number,
): Promise<ReplicableType> {
  const known = requireType(type)
  const standing = await standingOf(platform.database.read, known, scopeOf(platform, node), id)
  if (standing === 'absent') throw recordNotFound()
  if (standing === 'outside') throw forbidden('Not selected for this node')
  return known
}

type Answering = { request: RequestInfo; setStatus(status: number): void }

/** Sends an object, or the range that is asked for. @throws ApiError 404, 416 */
async function sendObject(
  { objects }: Platform,
  key: StorageKey,
  { request, setStatus }: Answering,
  headers: Record<string, string>,
): Promise<Raw> {
  const head = await objects.head(key)
  if (!head) throw fileGone()
  const range = requestedRange(request, { sizeBytes: head.sizeBytes, etag: '' })
  if (range === 'unsatisfiable') throw rangeNotSatisfiable(head.sizeBytes)
  if (range) setStatus(206)
  const lengthBytes = range ? range.lastByte - range.firstByte + 1 : head.sizeBytes
  return {
    headers: {
      ...headers,
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(lengthBytes),
      ...(range ? { 'Content-Range': `bytes ${range.firstByte}-${range.lastByte}/${head.sizeBytes}` } : {}),
    },
    async body() {
      const opened = await objects.get(key, range ? { range } : {})
      if (!opened) throw fileGone()
      return opened.stream
    },
  }
}

/** The bytes of a file with their checksum. */
async function sendFile(platform: Platform, type: FileType, id: number, answering: Answering): Promise<Raw> {
  const key = await keyOfFile(platform.database.read, type, id)
  if (!key) throw recordNotFound()
  const known = await currentChecksum(platform.database.read, type, id)
  const checksum =
    known ??
    (await checksumOfObject(platform.objects, key).catch((error) => {
      throw error instanceof ContentMissing ? fileGone() : error
    }))
  return sendObject(platform, key, answering, { 'X-Fennec-Checksum': checksum })
}

/** What a container repository consists of. */
async function sendContents({ database }: Platform, id: number): Promise<Raw> {
  const repository = await containerRepository(database.read, id)
  if (!repository) throw recordNotFound()
  const { read } = database
  const contents = {
    name: repository.path,
    tags: await Array.fromAsync(tagsOf(read, id)),
    manifests: await Array.fromAsync(manifestsOf(read, id)),
    blobs: await Array.fromAsync(blobsOf(read, id)),
  }
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(contents) }
}

/** Sends a file, or lists the contents of a container repository (x.geo_int.retrieve). @throws ApiError 403, 404, 416 */
export async function retrieve(
  platform: Platform,
  node: NodeRow,
  { type, id }: { type: string; id: number },
  answering: Answering,
): Promise<Raw> {
  const known = await requireSelected(platform, node, type, id)
  if (classOf(known) === 'repositories') throw recordNotFound()
  return isFileType(known) ? sendFile(platform, known, id, answering) : sendContents(platform, id)
}

/** Sends a manifest or blob of a container repository (x.geo_int.retrieve_part). @throws ApiError 400, 403, 404, 416 */
export async function retrievePart(
  platform: Platform,
  node: NodeRow,
  { id, kind, digest: text }: { id: number; kind: string; digest: string },
  answering: Answering,
): Promise<Raw> {
  await requireSelected(platform, node, 'container_repositories', id)
  const digest = parseDigest(text)
  if (!digest) throw recordNotFound()
  const { read } = platform.database
  if (kind === 'blobs') {
    if (!(await repositoryHasBlob(read, id, digest))) throw recordNotFound()
    return sendObject(platform, blobKey(digest), answering, {})
  }
  const payload = kind === 'manifests' ? await manifestOf(read, id, digest) : null
  if (payload === null) throw recordNotFound()
  return { headers: { 'Content-Type': 'application/octet-stream' }, body: Buffer.from(payload) }
}
