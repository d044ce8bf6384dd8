import { randomUUID } from 'node:crypto'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Digest } from '../blobs/digest.ts'
import { lockDigest } from '../blobs/store.ts'
import type { RepositoryExchange } from '../http/endpoint.ts'
import { registryProblem } from '../http/problems.ts'
import type { RegistryPlace } from '../repositories/find.ts'
import { deleteUploadRow, deleteUploadsOf, insertUpload, touchUpload, uploadById } from './store.ts'

/** An upload, with the number of bytes that were received. */
export type Upload = {
  id: string
  /** Null until the first chunk arrives. */
  writerId: string | null
  sizeBytes: number
  usedAt: string
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const uploadUnknown = () => registryProblem('BLOB_UPLOAD_UNKNOWN')

/**
 * Begins an upload to a repository, which need not exist yet.
 * @param digest what the upload will become, when that is known
 */
export async function beginUpload(
  { database, clock }: Platform,
  { project, rest }: Pick<RegistryPlace, 'project' | 'rest'>,
  digest: Digest | null = null,
): Promise<Upload> {
  const id = randomUUID()
  const moment = now(clock)
  const row = { id, project_id: project.id, name: rest, digest, used_at: moment, created_at: moment }
  // Without the row the client begins the upload again.
  await database.writeSoon(async (tx) => {
    if (digest) await lockDigest(tx, digest)
    await insertUpload(tx, row)
  })
  return { id, writerId: null, sizeBytes: 0, usedAt: moment }
}

/**
 * The upload that the path names.
 * @throws RegistryProblem 404 when it is unknown, finished, expired, or of another repository
 */
export async function requestedUpload(
  { database, objects }: Platform,
  { reference, place }: RepositoryExchange,
): Promise<Upload> {
  const row = uuid.test(reference) ? await uploadById(database.read, reference) : null
  if (!row || row.project_id !== place.project.id || row.name !== place.rest) throw uploadUnknown()
  const { id, writer_id: writerId, used_at: usedAt } = row
  const progress = writerId === null ? { sizeBytes: 0 } : await objects.progress(writerId)
  if (!progress) throw uploadUnknown()
  return { id, writerId, sizeBytes: progress.sizeBytes, usedAt }
}

/** Begins the idle time of an upload again. It is written seldom: the idle time is long, and requests are many. */
export async function keepUpload({ database, clock, config }: Platform, upload: Upload): Promise<void> {
  const idleMs = clock.now().getTime() - Date.parse(upload.usedAt)
  if (idleMs < config.registryUploadTtlMs / 4) return
  upload.usedAt = now(clock)
  await database.write((tx) => touchUpload(tx, upload.id, upload.usedAt))
}

/** Ends an upload and deletes its bytes. @returns false when it has ended before */
export async function dropUpload({ database, objects }: Platform, { id }: Upload): Promise<boolean> {
  const row = await database.write((tx) => deleteUploadRow(tx, id))
  if (row?.writer_id) await objects.cancel(row.writer_id)
  return row !== null
}

/** Ends the uploads to a repository (contract 02 R8). */
export async function dropUploadsOf(
  { database, objects }: Platform,
  repository: { projectId: number; name: string },
): Promise<void> {
  const writers = await database.write((tx) => deleteUploadsOf(tx, repository.projectId, repository.name))
  for (const id of writers) await objects.cancel(id)
}
