import { randomUUID } from 'node:crypto'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { RepositoryExchange } from '../http/endpoint.ts'
import { registryProblem } from '../http/problems.ts'
import type { RegistryPlace } from '../repositories/find.ts'
import { deleteUploadRow, deleteUploadsOf, insertUpload, touchUpload, uploadById } from './store.ts'

/** An upload whose writer exists, with the number of bytes that were received. */
export type Upload = { id: string; writerId: string; sizeBytes: number; usedAt: string }

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const uploadUnknown = () => registryProblem('BLOB_UPLOAD_UNKNOWN')

/** Begins an upload to a repository, which need not exist yet. Its bytes are with a writer of the object store. */
export async function beginUpload(
  { database, objects, clock }: Platform,
  { project, rest }: Pick<RegistryPlace, 'project' | 'rest'>,
): Promise<Upload> {
  const { id: writerId } = await objects.begin()
  const id = randomUUID()
  const usedAt = now(clock)
  await database.write((tx) =>
    insertUpload(tx, {
      id,
      project_id: project.id,
      name: rest,
      writer_id: writerId,
      used_at: usedAt,
      created_at: usedAt,
    }),
  )
  return { id, writerId, sizeBytes: 0, usedAt }
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
  const progress = await objects.progress(row.writer_id)
  if (!progress) throw uploadUnknown()
  return { id: row.id, writerId: row.writer_id, sizeBytes: progress.sizeBytes, usedAt: row.used_at }
}

/** Begins the idle time of an upload again. It is written seldom: the idle time is long, and requests are many. */
export async function keepUpload({ database, clock, config }: Platform, upload: Upload): Promise<void> {
  const idleMs = clock.now().getTime() - Date.parse(upload.usedAt)
  if (idleMs < config.registryUploadTtlMs / 4) return
  upload.usedAt = now(clock)
  await database.write((tx) => touchUpload(tx, upload.id, upload.usedAt))
}

/** Ends an upload and deletes its bytes. Does nothing when it has ended before. */
export async function dropUpload({ database, objects }: Platform, { id, writerId }: Upload): Promise<void> {
  await database.write((tx) => deleteUploadRow(tx, id))
  await objects.cancel(writerId)
}

/** Ends the uploads to a repository (contract 02 R8). */
export async function dropUploadsOf(
  { database, objects }: Platform,
  repository: { projectId: number; name: string },
): Promise<void> {
  const writers = await database.write((tx) => deleteUploadsOf(tx, repository.projectId, repository.name))
  for (const id of writers) await objects.cancel(id)
}
