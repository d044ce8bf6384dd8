import {
  type Actor,
  answerToOutage,
  badRequest,
  forbidden,
  notFound,
  type Page,
  type PageRequest,
  recordNotFound,
  requireSignedIn,
  type Unmodified,
  type UploadedFile,
} from '../../../api/index.ts'
import { claim, now, type Tx } from '../../../infra/database/index.ts'
import { ObjectError } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { namespaceById, refusesWritesIn } from '../../namespaces/index.ts'
import { type ProjectOrGroup, projectById, refusesWrites } from '../../projects/index.ts'
import { usersByIds } from '../../users/index.ts'
import { safeFileName } from '../files/file-name.ts'
import type { ServedFile } from '../files/serving.ts'
import { storeFile } from '../files/storing.ts'
import { keyOf, ownerOf, type UploadOwner } from '../owner.ts'
import type { UploadRow } from '../tables.ts'
import { presentEntry, presentUpload } from './present.ts'
import { insertUpload } from './recording.ts'
import * as store from './store.ts'

/** Requires that the owner still takes uploads when the record is written. @throws ApiError 404, 403 */
async function requireWritable(tx: Tx, { kind, id }: UploadOwner): Promise<void> {
  if (kind === 'project') {
    const project = await projectById(tx, id)
    if (!project || project.pending_delete) throw notFound('Project')
    if (refusesWrites(project)) throw forbidden()
    return
  }
  const group = await namespaceById(tx, id)
  if (!group || group.pending_delete) throw notFound('Group')
  if (refusesWritesIn(group)) throw forbidden()
}

/**
 * Stores a file of a project or group (contract 3.1, x.group_upload_create).
 * @throws ApiError 422, 403, 404 when the owner was archived or deleted meanwhile
 */
export async function createUpload(platform: Platform, owner: ProjectOrGroup, actor: Actor, file: UploadedFile) {
  const { userId } = requireSignedIn(actor)
  const secret = randomHex(16)
  const upload = await storeFile(platform, keyOf(owner, secret), file, async (tx, { sizeBytes, sha256 }) => {
    await requireWritable(tx, owner)
    const described = { secret, filename: safeFileName(file.filename), size_bytes: sizeBytes, sha256, user_id: userId }
    const row = { ...store.placeOf(owner), ...described, created_at: now(platform.clock) }
    return insertUpload(platform, tx, row)
  })
  return presentUpload(upload)
}

/** Lists the uploads of a project or group (contract 3.2, 3.7). */
export async function listUploads({ database }: Platform, owner: ProjectOrGroup, page: PageRequest) {
  const found = await store.pageOfUploads(database.read, owner, page)
  const uploaders = await usersByIds(
    database.read,
    found.items.flatMap(({ user_id }) => user_id ?? []),
  )
  const items = found.items.map((upload) => presentEntry(upload, uploaders.get(upload.user_id ?? 0)))
  return { ...found, items } satisfies Page<unknown>
}

/** @throws ApiError 404 */
export async function requireUploadById({ database }: Platform, owner: UploadOwner, id: number): Promise<UploadRow> {
  const upload = await store.uploadById(database.read, owner, id)
  if (!upload) throw recordNotFound()
  return upload
}

/** Older servers made secrets of other lengths. */
const secretForm = /^[0-9a-f]{10,32}$/

/** The upload of an owner that an address names; null when there is none. */
export async function uploadAt(
  { database }: Platform,
  owner: UploadOwner,
  { secret, filename }: { secret: string; filename: string },
): Promise<UploadRow | null> {
  const upload = secretForm.test(secret) ? await store.uploadBySecret(database.read, owner, secret) : null
  return upload?.filename === filename ? upload : null
}

/** @throws ApiError 404 */
export async function requireUploadAt(
  platform: Platform,
  owner: UploadOwner,
  address: { secret: string; filename: string },
): Promise<UploadRow> {
  const upload = await uploadAt(platform, owner, address)
  if (!upload) throw notFound()
  return upload
}

/** An upload as its bytes are served. */
export function servedUpload(upload: UploadRow): ServedFile {
  const { filename, size_bytes, sha256, secret } = upload
  return { name: filename, sizeBytes: size_bytes, sha256, key: keyOf(ownerOf(upload), secret) }
}

/**
 * Deletes an upload: first its record, so that a process that ends in between leaves a file that the sweep removes, and no record
 * without a file. When the file cannot be deleted, the record comes back (contract 3.5).
 * @returns false when another request has deleted it meanwhile
 * @throws ApiError 400 when the object store fails, 412; ObjectError, answered with 503 when it is away
 */
export async function deleteUpload(platform: Platform, upload: UploadRow, unmodified: Unmodified): Promise<boolean> {
  const { database, objects } = platform
  const isDeleted = await database.write(async (tx) => {
    const row = await claim(tx, 'uploads', () => store.uploadById(tx, ownerOf(upload), upload.id))
    if (!row) return false
    unmodified(row.created_at)
    await react(platform, tx, 'upload.removed', { uploadId: upload.id })
    return store.deleteUploadRow(tx, upload.id)
  })
  if (!isDeleted) return false
  try {
    await objects.delete(keyOf(ownerOf(upload), upload.secret))
  } catch (error) {
    if (!(error instanceof ObjectError)) throw error
    await database.write((tx) => insertUpload(platform, tx, upload))
    if (answerToOutage(error)) throw error
    throw badRequest('Upload could not be deleted.')
  }
  return true
}
